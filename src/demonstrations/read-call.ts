import type { FunctionCall } from '../contracts/function-calls.js';
import type { Json, JsonObject } from '../contracts/json.js';
import { isObject } from './demonstration-header.js';
import { present, unknownKey } from './known-keys.js';

/**
 * The functions that a message calls: `tool_calls`, the older `function_call`, or nothing. Arguments are an object, or its
 * JSON as a text. Returns the problem of another value.
 */
export function readCalls({
  tool_calls: calls = [],
  function_call: single,
}: JsonObject): readonly FunctionCall[] | string | undefined {
  if (!Array.isArray(calls)) return '"tool_calls" is not a list';
  const all = [...(calls as readonly Json[]), ...(single === undefined ? [] : [single])];
  const ids = all.flatMap((one) => (isObject(one) && typeof one['id'] === 'string' ? one['id'] : []));
  if (new Set(ids).size < ids.length) return 'two of its calls have one id';
  const read = all.map(readCall);
  const problem = read.find((one) => typeof one === 'string');
  if (problem !== undefined) return problem;
  return read.length === 0 ? undefined : (read as FunctionCall[]);
}

/** A call as OpenAI writes it, or its inner part alone. Returns the problem of another value. */
export function readCall(value: Json): FunctionCall | string {
  if (!isObject(value)) return 'its call is not an object';
  const { function: inner, ...outer } = present(value);
  const call = isObject(inner) ? present(inner) : outer;
  const { name, arguments: given = {} } = call;
  const problem = unknownKey(call, ['name', 'arguments', 'id', 'type']);
  if (problem !== undefined) return problem;
  if (typeof name !== 'string' || name === '') return 'its call has no name of a function';
  // An object that was a column of a table has the arguments of every function, with null for those of the others.
  const read = typeof given === 'string' ? parseArguments(given) : isObject(given) ? present(given) : undefined;
  return isObject(read) ? { name, arguments: read } : `the arguments of its call of ${name} are not an object of JSON`;
}

function parseArguments(text: string): unknown {
  try {
    return text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    return undefined;
  }
}
