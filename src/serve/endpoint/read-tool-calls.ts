import type { FunctionCall, FunctionCallSyntax } from '../../contracts/function-calls.js';
import type { Json } from '../../contracts/json.js';
import { parseBoundedJson } from './bounded-json.js';
import { compactJson, memberJson } from './written-json.js';

/** A call with its arguments also as JSON, in which numbers stay as they were written: large integers have all digits. */
export interface WrittenCall extends FunctionCall {
  readonly json: string;
}

/** A text of a model that may call functions. */
export interface ReadText {
  /** What stands before the first call, without white space at its end; the whole text if it calls nothing. */
  readonly content: string;
  readonly calls: readonly WrittenCall[];
}

type Marks = Pick<FunctionCallSyntax, 'before' | 'after' | 'argumentsKey'>;

/** Models of Llama 3.1 and later put the token of their built-in tools in front of calls of other functions, too. */
const PYTHON_TAG = '<|python_tag|>';
const bareCall = /^[ \t]*(?:<\|python_tag\|>[ \t]*)?(?=\{)/gmu;

/**
 * Reads the calls of a text. If one of them cannot be read, the text calls nothing, so that a client sees what was written.
 * Calls inside a thinking block are thoughts.
 */
export function readToolCalls(text: string, syntax: Marks): ReadText {
  const nothing = { content: text, calls: [] };
  const from = afterThinking(text);
  if (from === undefined) return nothing;
  const close = syntax.after.trim();
  const calls: WrittenCall[] = [];
  let start: number | undefined;
  let mark = findMark(text, syntax, from);
  while (mark !== undefined) {
    const end = endOfObject(text, mark.inside);
    const call = end === undefined ? undefined : readCall(text.slice(mark.inside, end), syntax);
    if (end === undefined || call === undefined) return nothing;
    const rest = text.slice(end).trimStart();
    if (!rest.startsWith(close)) return nothing;
    calls.push(call);
    start ??= mark.start;
    mark = findMark(text, syntax, text.length - rest.length + close.length);
  }
  return start === undefined ? nothing : { content: text.slice(0, start).trimEnd(), calls };
}

/** The length of the part of a growing text that is no call, whatever follows. */
export function certainLength(text: string, { after, before }: Marks): number {
  const from = afterThinking(text);
  if (from === undefined) return text.trimEnd().length;
  const open = before.trim();
  const lineStart = text.lastIndexOf('\n') + 1;
  const line = text.slice(Math.max(lineStart, from)).trimStart();
  let held = findMark(text, { before, after }, from)?.start ?? text.length;
  if (open === '') {
    if (PYTHON_TAG.startsWith(line) || line.startsWith(PYTHON_TAG)) held = Math.min(held, text.length - line.length);
  } else if (held === text.length) {
    for (let length = Math.min(open.length - 1, text.length - from); length > 0; length -= 1) {
      if (!open.startsWith(text.slice(text.length - length))) continue;
      held = text.length - length;
      break;
    }
  }
  return text.slice(0, held).trimEnd().length;
}

/** Where a thinking block has ended; undefined while it is open. */
function afterThinking(text: string): number | undefined {
  const end = text.lastIndexOf('</think>');
  if (end !== -1) return end + '</think>'.length;
  return text.trimStart().startsWith('<think>') ? undefined : 0;
}

function findMark(
  text: string,
  { after, before }: Omit<Marks, 'argumentsKey'>,
  from: number,
): { readonly start: number; readonly inside: number } | undefined {
  const open = before.trim();
  if (open !== '') {
    const start = text.indexOf(open, from);
    return start === -1 ? undefined : { start, inside: skipSpace(text, start + open.length) };
  }
  if (after.trim() !== '') return undefined;
  bareCall.lastIndex = from;
  const found = bareCall.exec(text);
  return found === null ? undefined : { start: found.index, inside: found.index + found[0].length };
}

function skipSpace(text: string, from: number): number {
  return text.length - text.slice(from).trimStart().length;
}

/** Where the JSON object that starts here ends, exclusive; undefined if none starts here, or if it is not whole. */
function endOfObject(text: string, start: number): number | undefined {
  if (text[start] !== '{') return undefined;
  let depth = 0;
  let isText = false;
  for (let index = start; index < text.length; index += 1) {
    const character = text[index];
    if (isText && character === '\\') index += 1;
    else if (character === '"') isText = !isText;
    else if (!isText && character === '{') depth += 1;
    else if (!isText && character === '}' && (depth -= 1) === 0) return index + 1;
  }
  return undefined;
}

function readCall(json: string, { argumentsKey }: Marks): WrittenCall | undefined {
  const members = readObject(json);
  const name = members?.['name'];
  const given = members?.[argumentsKey];
  // Some models write the arguments as JSON in a string.
  const isText = typeof given === 'string';
  const values = isText ? readObject(given) : given;
  if (typeof name !== 'string' || typeof values !== 'object' || values === null || Array.isArray(values))
    return undefined;
  const own = isText ? given : memberJson(json, argumentsKey)!;
  return { name, arguments: values as { readonly [name: string]: Json }, json: compactJson(own) };
}

/** What is read of arguments: no function needs more, and what writes them again must not run out of stack. */
const OBJECT_LIMITS = { depth: 100, values: 100_000 };

/** The members of a JSON object; undefined if the text is none. */
export function readObject(json: string): { readonly [name: string]: Json } | undefined {
  try {
    const value = parseBoundedJson(Buffer.from(json), OBJECT_LIMITS) as Json;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return value as { readonly [name: string]: Json };
  } catch {
    return undefined;
  }
}
