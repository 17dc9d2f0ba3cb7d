import type { JsonPlace, OpenJson } from '../contracts/wire.js';

/** See `OpenJson`. */
export const openJson: OpenJson = (text, fail) => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw fail(`no JSON${text.trim() === '' ? ', but an empty body' : `: ${shownText(text)}`}`);
  }
  return new Place(value, '', fail);
};

/** The beginning of a text of a server, in one line. */
export function shownText(text: string, longest = 200): string {
  // What is long is cut first: a page may have megabytes.
  const line = text
    .slice(0, 4 * longest)
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
  return line.length > longest ? `${line.slice(0, longest)} …` : line;
}

class Place implements JsonPlace {
  constructor(
    readonly value: unknown,
    private readonly path: string,
    private readonly error: (problem: string) => Error,
  ) {}

  get isAbsent(): boolean {
    return this.value === undefined || this.value === null;
  }

  member(name: string): JsonPlace {
    if (typeof this.value !== 'object' || this.value === null || Array.isArray(this.value)) this.#not('an object');
    const inner = Object.hasOwn(this.value, name) ? (this.value as { [member: string]: unknown })[name] : undefined;
    return new Place(inner, this.path === '' ? name : `${this.path}.${name}`, this.error);
  }

  items(): readonly JsonPlace[] {
    return this.#list().map((item, index) => new Place(item, `${this.path}[${index}]`, this.error));
  }

  text(): string {
    return typeof this.value === 'string' ? this.value : this.#not('a text');
  }

  number(least = -Infinity, most = Infinity): number {
    if (isWithin(this.value, least, most)) return this.value;
    return this.#not(typeof this.value === 'number' ? `${rangeOf(least, most)}` : 'a number');
  }

  integer(least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER): number {
    const value = this.number(least, most);
    return Number.isInteger(value) ? value : this.#not('a whole number');
  }

  numbers(least = -Infinity, most = Infinity): number[] {
    const list = this.#list();
    const wrong = list.findIndex((item) => !isWithin(item, least, most));
    if (wrong >= 0) this.items()[wrong]?.number(least, most);
    return list as number[];
  }

  integers(least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER): number[] {
    const list = this.numbers(least, most);
    const wrong = list.findIndex((item) => !Number.isInteger(item));
    if (wrong >= 0) this.items()[wrong]?.integer(least, most);
    return list;
  }

  fail(problem: string): never {
    throw this.error(this.path === '' ? problem : `${this.path}: ${problem}`);
  }

  #list(): readonly unknown[] {
    return Array.isArray(this.value) ? (this.value as readonly unknown[]) : this.#not('a list');
  }

  #not(wanted: string): never {
    if (this.value === undefined) return this.fail(this.path === '' ? 'nothing' : 'missing');
    return this.fail(`${shownValue(this.value)}, not ${wanted}`);
  }
}

function isWithin(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= least && value <= most;
}

function rangeOf(least: number, most: number): string {
  const [hasLeast, hasMost] = [least > Number.MIN_SAFE_INTEGER, most < Number.MAX_SAFE_INTEGER];
  if (hasLeast && hasMost) return `a number from ${least} to ${most}`;
  if (hasLeast) return `a number of at least ${least}`;
  return hasMost ? `a number of at most ${most}` : 'a finite number';
}

function shownValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(shownText(value, 40));
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
