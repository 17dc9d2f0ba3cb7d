// The only code that reads keys from the text of a YAML or JSON document. The result is plain data, or an error that
// names the line.
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument as parseYaml, visit, type Document } from 'yaml';

import type { Json } from '../contracts/json.js';
import { messageOf } from '../errors/message-of.js';
import { copyJson, NotJsonError } from '../rollout/copy-json.js';
import { formatPath, type KeyPath } from './recipe-layer.js';

/** A document with more values was not written by hand, and a check of every key takes seconds. */
const mostValues = 20_000;
/** Keys with a special meaning in JavaScript. Schemas ignore them, so their values would be lost silently. */
export const reservedKeys: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/** An error in a document. */
export class DocumentError extends Error {
  constructor(
    message: string,
    /** From 1; absent if the document has no lines. */
    readonly line?: number,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
  }
}

export interface ParsedDocument {
  readonly content: Json;
  /** Line of a key, or of the nearest key above it. */
  readonly line: (path: KeyPath) => number | undefined;
}

/**
 * Reads YAML, which includes JSON. Its type tags (`!!set`, `!!omap`, `!!binary`) and others are refused: their values
 * are not maps of keys and would be read as empty maps.
 *
 * @throws DocumentError
 */
export function parseDocument(text: string): ParsedDocument {
  const lines = new LineCounter();
  const document = parseYaml(text, {
    lineCounter: lines,
    prettyErrors: false,
    resolveKnownTags: false,
    logLevel: 'error',
  });
  const lineAt = (offset: number | undefined) => (offset === undefined ? undefined : lines.linePos(offset).line);
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) throw new DocumentError(problem.message, lineAt(problem.pos[0]), problem);
  refuseUnreadKeys(document, lineAt);
  let content: unknown;
  try {
    content = document.toJS();
  } catch (error) {
    // An alias may expand without end.
    throw new DocumentError(messageOf(error), 1, error);
  }
  const line = (path: KeyPath) => lineAt(offsetOf(document, path));
  return { content: plainData(content, line), line };
}

/**
 * A copy of the content of a document, which must be plain data.
 *
 * @param line of a key
 * @throws DocumentError
 */
export function plainData(value: unknown, line: ParsedDocument['line'] = () => undefined): Json {
  try {
    const copy = copyJson(value, '', 'left out');
    refuseReservedKeys(copy, line);
    return copy;
  } catch (error) {
    if (error instanceof DocumentError) throw error;
    // A Proxy may throw at every access.
    if (!(error instanceof NotJsonError)) throw new DocumentError(messageOf(error), 1, error);
    const what = error.path.length === 0 ? 'the document' : `\`${formatPath(error.path)}\``;
    const problem = error.problem.replace('must be JSON', 'must be plain data');
    throw new DocumentError(`${what}: ${problem}`, line(error.path), error);
  }
}

/** Refuses keys that are not strings, or that appear twice as a string: one of the two values would be lost. */
function refuseUnreadKeys(document: Document, lineAt: (offset: number | undefined) => number | undefined): void {
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<string>();
      for (const { key } of items) {
        const line = lineAt((key as { range?: readonly number[] | null } | null)?.range?.[0]);
        if (!isScalar(key)) throw new DocumentError('a key must be text, not a list, a map or an alias', line);
        const name = String(key.value);
        if (seen.has(name)) throw new DocumentError(`the key \`${name}\` appears twice`, line);
        seen.add(name);
      }
    },
  });
}

function refuseReservedKeys(root: Json, line: ParsedDocument['line']): void {
  const open: { readonly value: Json; readonly path: KeyPath }[] = [{ value: root, path: [] }];
  let values = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path } = next;
    values += 1;
    if (values > mostValues) throw new DocumentError(`it has more than ${mostValues} values`, line(path));
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      const here = [...path, Array.isArray(value) ? Number(key) : key];
      if (!Array.isArray(value) && reservedKeys.includes(key)) {
        throw new DocumentError(`\`${formatPath(here)}\`: the name \`${key}\` is not allowed`, line(here));
      }
      open.push({ value: inner, path: here });
    }
  }
}

/** Offset of the key at a path, or of the nearest key above it. */
function offsetOf(document: Document, path: KeyPath): number | undefined {
  let node: unknown = document.contents;
  let offset = rangeOf(node);
  for (const key of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key));
      if (pair === undefined) break;
      offset = rangeOf(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(key)];
      offset = rangeOf(node) ?? offset;
    } else break;
  }
  return offset;
}

function rangeOf(node: unknown): number | undefined {
  return (node as { range?: readonly number[] | null } | null | undefined)?.range?.[0];
}
