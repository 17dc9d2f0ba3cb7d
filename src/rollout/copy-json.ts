import { messageOf } from '../errors/message-of.js';
import type { Json } from '../contracts/json.js';

/** Deeper than anybody nests by hand; the stack holds far more. */
const deepest = 100;

/**
 * A copy of what a plugin returned as JSON: lists, plain objects, strings, finite numbers, booleans and null.
 *
 * @param place where it stands, for the message
 * @throws Error that names the place of the first thing that JSON cannot hold
 */
export function copyJson(value: unknown, place: string): Json {
  return copy(value, place, []);
}

function copy(value: unknown, place: string, around: readonly object[]): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value !== 'object') throw new Error(`${place}: JSON is wanted, not ${show(value)}`);
  if (around.includes(value)) throw new Error(`${place}: JSON is wanted, not an object that contains itself`);
  if (around.length === deepest) throw new Error(`${place}: JSON is wanted that is nested at most ${deepest} deep`);
  const inside = [...around, value];
  if (Array.isArray(value)) {
    return Array.from(value, (_, index) => {
      const path = `${place}[${index}]`;
      return copy(readMember(value, index, path), path, inside);
    });
  }
  if (!isPlain(value)) throw new Error(`${place}: JSON is wanted, not ${show(value)}`);
  const entries = Object.keys(value).map((key) => {
    const path = `${place}.${key}`;
    return [key, copy(readMember(value, key, path), path, inside)] as const;
  });
  // Unlike an assignment, it makes an ordinary member of `__proto__`.
  return Object.fromEntries(entries);
}

/** Of this thread or another realm's `Object`, or of none. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** A member of what a plugin returned, read once: a getter may throw, or answer otherwise the second time. */
export function readMember(value: object, name: string | number, place: string): unknown {
  try {
    return (value as Record<string | number, unknown>)[name];
  } catch (error) {
    throw new Error(`${place}: reading it threw: ${messageOf(error)}`, { cause: error });
  }
}

/** What stands somewhere, in words for a message. */
export function show(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value.length <= 40 ? JSON.stringify(value) : `a text of ${value.length} characters`;
    case 'bigint':
      return 'a BigInt';
    case 'function':
    case 'symbol':
      return `a ${typeof value}`;
    case 'object': {
      if (value === null) return 'null';
      if (Array.isArray(value)) return 'a list';
      return isPlain(value) ? 'an object' : `an instance of ${classOf(value)}`;
    }
    default:
      return String(value);
  }
}

function classOf(value: object): string {
  try {
    return value.constructor.name;
  } catch {
    return 'a class';
  }
}
