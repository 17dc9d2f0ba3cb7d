import type {
  ActionFormat,
  FunctionCall,
  FunctionCallSyntax,
  FunctionDefinition,
  Json,
  OfferedFunctions,
  ReadCall,
} from '@agentgym/cli';

import { buildFormat } from './build-format.js';
import type { FunctionCallingOptions } from './options.js';
import { endOfObject, readJsonObject } from './scan-text.js';
import { findLabelledSections, writeInstructions, writeLabelled, writeSections } from './sections.js';

type Shape = Pick<FunctionCallSyntax, 'before' | 'after' | 'argumentsKey'>;

/** The syntax of Hermes and Qwen, for models without a syntax of their own. */
const usualShape: Shape = { before: '<tool_call>\n', after: '\n</tool_call>', argumentsKey: 'arguments' };

/**
 * The action is the exact string argument of a function call, or the call itself if the environment declares its actions as
 * functions. A model whose chat template has function calls writes them as in its template, any other model as a JSON object
 * in `<tool_call>` tags. Tools are further functions. An action is the only call of its text.
 */
export function create(options: FunctionCallingOptions): ActionFormat {
  return createWith(options, { tools: [], actions: [] }, undefined);
}

function createWith(
  options: FunctionCallingOptions,
  { actions, tools }: OfferedFunctions,
  syntax: FunctionCallSyntax | undefined,
): ActionFormat {
  const { functionName, maxCharacters, thought } = options;
  const shape = syntax ?? usualShape;
  const acting = actions.length > 0 ? actions : [actFunction(functionName)];
  const actionNames = acting.map(({ name }) => name);
  const taken = tools.find(({ name }) => actionNames.includes(name));
  if (taken !== undefined) {
    const cure = actions.length > 0 ? 'name the tool otherwise' : 'set the option `functionName` to another name';
    throw new Error(`the function \`${taken.name}\` is the action: ${cure}`);
  }
  const functions = [...acting, ...tools];
  const readAll = (text: string) => findCalls(text, shape).map((found) => readCall(found, shape, maxCharacters));
  const act: Acting =
    actions.length > 0
      ? { write: callOfAction, read: (call) => ({ action: JSON.stringify(call) }), shown: actionNames.join(', ') }
      : textAction(functionName, shape);
  const format = buildFormat(
    {
      instructions: [
        writeInstructions(thought, writeLabelled, endingOf(functionName, { actions, tools })),
        syntax?.describe(functions) ?? describeFunctions(functions, shape),
      ].join('\n\n'),
      cure: `Call one function: ${act.shown}`,
      read(text) {
        const [call, ...others] = readAll(text);
        if (call === undefined) return { malformed: 'no function call' };
        if (others.length > 0) return { malformed: 'an action must be the only call' };
        if ('malformed' in call) return call;
        if (!actionNames.includes(call.call.name)) return { malformed: 'there is no function of that name' };
        const action = act.read(call.call);
        return 'malformed' in action
          ? action
          : { ...action, sections: findLabelledSections(text.slice(0, call.start)) };
      },
      write: (action) => [...writeSections(thought, writeLabelled), writeCall(act.write(action), shape)].join('\n'),
    },
    options,
  );
  return {
    ...format,
    actionNames,
    readCalls: (text) => readAll(text).map((one): ReadCall => ('call' in one ? { call: one.call } : one)),
    writeCall: (call) => writeCall(call, shape),
    callsFunction: (text) => readAll(text).some((one) => 'call' in one),
    withFunctions: (offered, model = syntax) => createWith(options, offered, model),
  };
}

/** How an action of the environment becomes a call, and a call an action. */
interface Acting {
  readonly write: (action: string) => FunctionCall;
  readonly read: (call: FunctionCall) => { readonly action: string } | { readonly malformed: string };
  /** A call, or what may be called, for the agent. */
  readonly shown: string;
}

/** The action is a text: the argument of one function. */
function textAction(name: string, shape: Shape): Acting {
  const write = (action: string) => ({ name, arguments: { action } });
  return {
    write,
    read: ({ arguments: { action } }) =>
      typeof action === 'string' ? { action } : { malformed: `${name} takes a string "action"` },
    shown: writeCall(write('ACTION'), shape),
  };
}

/** The call that an action is. */
function callOfAction(action: string): FunctionCall {
  const read = readJsonObject(action);
  if (typeof read === 'string') throw new Error(`an action is a call as JSON, and this is ${read}`);
  return read.object as unknown as FunctionCall;
}

function endingOf(name: string, { actions, tools }: OfferedFunctions): string {
  if (actions.length > 0) {
    const acting = `Every answer ends with one call of ${actions.map((one) => one.name).join(' or ')}`;
    return tools.length === 0 ? `${acting}.` : `${acting}, or with calls of other functions.`;
  }
  return tools.length === 0
    ? `Every answer ends with one call, and ${name} takes your action.`
    : `Every answer ends with one call of ${name}, which takes your action, or with calls of other functions.`;
}

function actFunction(name: string): FunctionDefinition {
  const action = { type: 'string', description: 'The action' };
  const parameters = { type: 'object', properties: { action }, required: ['action'] };
  return { name, description: 'Acts in the environment.', parameters };
}

function describeFunctions(functions: readonly FunctionDefinition[], { before, after, argumentsKey }: Shape): string {
  const list = functions.map((one) => JSON.stringify({ type: 'function', function: one }));
  const call = `{"name": FUNCTION, ${JSON.stringify(argumentsKey)}: ARGUMENTS}`;
  return ['Functions:', ...list, 'A call:', `${before}${call}${after}`].join('\n');
}

/** Marks of the syntax inside the names and values are escaped, so that they end nothing. */
function writeCall({ name, arguments: given }: FunctionCall, { before, after, argumentsKey }: Shape): string {
  const write = (value: Json) =>
    [before.trim(), after.trim()]
      .filter((mark) => mark !== '')
      .reduce((text, mark) => text.replaceAll(mark, escapeFirst(mark)), JSON.stringify(value));
  const values = Object.entries(given).map(([key, value]) => `${write(key)}: ${write(value)}`);
  return `${before}{"name": ${write(name)}, ${JSON.stringify(argumentsKey)}: {${values.join(', ')}}}${after}`;
}

/** The mark as in a string of JSON, with its first character escaped. */
function escapeFirst(mark: string): string {
  return `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}${mark.slice(1)}`;
}

/** A call, and where it starts. */
function readCall(
  { content, start }: FoundCall,
  { argumentsKey }: Shape,
  maxCharacters: number,
): { readonly call: FunctionCall; readonly start: number } | { readonly malformed: string } {
  // Longer calls of actions are refused with the length of the action.
  const most = 2 * maxCharacters + 1000;
  if (content.length > most) return { malformed: `the call has ${content.length} characters, more than ${most}` };
  const read = readJsonObject(content);
  if (typeof read === 'string') return { malformed: `the call is ${read}` };
  const values = new Map(Object.entries(read.object));
  const name = values.get('name');
  if (typeof name !== 'string') return { malformed: 'the call has no "name"' };
  let given = values.get(argumentsKey);
  if (typeof given === 'string') {
    // Some models write the arguments as JSON in a string.
    const inner = readJsonObject(given);
    if (typeof inner !== 'string') given = inner.object;
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return { malformed: `the call has no object "${argumentsKey}"` };
  }
  return { call: { name, arguments: given as { [name: string]: Json } }, start };
}

/**
 * The start of a call without marks: a line that begins with a brace. Models of Llama 3.1 and later put the token of
 * their built-in tools in front of calls of other functions, too (vLLM's parser `llama3_json` takes both), and a semicolon
 * between calls.
 */
const bareCall = /^[ \t]*(?:<\|python_tag\|>[ \t]*)?(?=\{)/gmu;
const nextBareCall = /[ \t\n]*;?[ \t\n]*(?:<\|python_tag\|>[ \t]*)?(?=\{)/uy;

interface FoundCall {
  readonly start: number;
  readonly content: string;
}

/** The JSON of all calls. One without a closing mark is none. */
function findCalls(text: string, { before, after }: Shape): FoundCall[] {
  const [open, close] = [before.trim(), after.trim()];
  if (open === '') return findBareCalls(text);
  const found: FoundCall[] = [];
  let start = text.indexOf(open);
  while (start !== -1) {
    const inside = start + open.length;
    const next = text.indexOf(open, inside);
    const part = text.slice(inside, next === -1 ? undefined : next);
    const end = close === '' ? part.length : part.lastIndexOf(close);
    if (end !== -1) found.push({ start, content: part.slice(0, end) });
    start = next;
  }
  return found;
}

/** Calls without marks, one after the other. The last one lasts to the end. */
function findBareCalls(text: string): FoundCall[] {
  bareCall.lastIndex = 0;
  const found: FoundCall[] = [];
  let match = bareCall.exec(text);
  while (match !== null) {
    const inside = match.index + match[0].length;
    const end = endOfObject(text, inside);
    nextBareCall.lastIndex = end ?? text.length;
    const next = end === undefined ? null : nextBareCall.exec(text);
    found.push({ start: match.index, content: text.slice(inside, next === null ? undefined : end) });
    match = next;
  }
  return found;
}
