import type { Json } from '../contracts/json.js';
import { messageOf } from '../errors/message-of.js';

/** Deeper than data is nested by hand; the stack allows far more. */
const deepest = 100;
/** More values than a plugin's list can sensibly have. A sparse list of 2^32 uses no memory until it is copied. */
const most = 1_000_000;

type Place = readonly (string | number)[];

/** The value at a path cannot be stored as JSON. */
export class NotJsonError extends Error {
  constructor(
    /** The name of the whole value; the path is appended to it. */
    whole: string,
    readonly path: Place,
    /** The problem with the value: "must be JSON, not a BigInt". */
    readonly problem: string,
    cause?: unknown,
  ) {
    super(`${placeOf(whole, path)}: ${problem}`, cause === undefined ? undefined : { cause });
  }
}

/**
 * Copies data of a plugin or of a code file as JSON: lists, plain objects, strings, finite numbers, booleans and null.
 *
 * @param place source of the data, for the message
 * @param absent whether undefined members are refused or left out
 * @throws NotJsonError for the first value that JSON cannot store
 */
export function copyJson(value: unknown, place: string, absent: 'refused' | 'left out' = 'refused'): Json {
  const around: object[] = [];
  const path: (string | number)[] = [];
  let values = 0;
  const refuse = (problem: string, cause?: unknown) => new NotJsonError(place, [...path], problem, cause);

  const member = (of: object, key: string | number): unknown => {
    try {
      return (of as Record<string | number, unknown>)[key];
    } catch (error) {
      throw refuse(`reading it threw: ${messageOf(error)}`, error);
    }
  };
  const within = <T>(key: string | number, work: () => T): T => {
    path.push(key);
    const made = work();
    path.pop();
    return made;
  };
  const copy = (part: unknown): Json => {
    if (part === null || typeof part === 'string' || typeof part === 'boolean') return part;
    if (typeof part === 'number' && Number.isFinite(part)) return part;
    if (typeof part !== 'object') throw refuse(`must be JSON, not ${show(part)}`);
    if (around.includes(part)) throw refuse('must be JSON, not an object that contains itself');
    if (around.length === deepest) throw refuse(`must be JSON nested at most ${deepest} deep`);
    values += Array.isArray(part) ? part.length : 1;
    if (values > most) throw refuse(`must be JSON of at most ${most} values`);
    around.push(part);
    const made = Array.isArray(part)
      ? Array.from(part, (_, index) => within(index, () => copy(member(part, index))))
      : copyObject(part);
    around.pop();
    return made;
  };
  const copyObject = (part: object): Json => {
    if (!isPlain(part)) throw refuse(`must be JSON, not ${show(part)}`);
    const entries = Object.keys(part).flatMap((key) =>
      within(key, () => {
        const found = member(part, key);
        return found === undefined && absent === 'left out' ? [] : [[key, copy(found)] as const];
      }),
    );
    // Unlike an assignment, it makes `__proto__` an ordinary member.
    return Object.fromEntries(entries);
  };
  return copy(value);
}

function placeOf(whole: string, path: Place): string {
  return path.reduce<string>((above, key) => `${above}${typeof key === 'number' ? `[${key}]` : `.${key}`}`, whole);
}

/** An object whose prototype is the `Object` of this thread or of another realm, or null. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Reads a member of a plugin's result. It is read once, because a getter may throw or return another value later. */
export function readMember(value: object, name: string | number, place: string): unknown {
  try {
    return (value as Record<string | number, unknown>)[name];
  } catch (error) {
    throw new Error(`${place}: reading it threw: ${messageOf(error)}`, { cause: error });
  }
}

/** Describes a value in words for a message. */
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
