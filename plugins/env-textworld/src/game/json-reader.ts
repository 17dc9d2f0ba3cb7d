import { GameError } from './game-error.js';

/**
 * A value somewhere in parsed JSON, with the place where it stands. Every method throws a `GameError` that names the
 * place if the value is not of the kind that is asked for.
 */
export class JsonValue {
  constructor(
    private readonly value: unknown,
    private readonly parent?: JsonValue,
    private readonly key: string | number = '',
  ) {}

  fail(message: string): never {
    const { place } = this;
    throw new GameError(place === '' ? message : `${place}: ${message}`);
  }

  get isMissing(): boolean {
    return this.value === undefined || this.value === null;
  }

  /** The value of a key; missing if there is no such key. */
  at(key: string): JsonValue {
    if (typeof this.value !== 'object' || this.value === null || Array.isArray(this.value))
      return this.fail('not an object');
    const value = Object.hasOwn(this.value, key) ? (this.value as Record<string, unknown>)[key] : undefined;
    return new JsonValue(value, this, key);
  }

  /** The items of a list. */
  items(limit: number): readonly JsonValue[] {
    if (!Array.isArray(this.value)) return this.fail('not a list');
    if (this.value.length > limit) return this.fail(`more than ${limit} items (${this.value.length})`);
    return Array.from(this.value, (item: unknown, index) => new JsonValue(item, this, index));
  }

  text(limit: number): string {
    if (typeof this.value !== 'string') return this.fail('not a text');
    if (this.value.length > limit) return this.fail(`longer than ${limit} characters (${this.value.length})`);
    return this.value;
  }

  textOrNull(limit: number): string | null {
    return this.isMissing ? null : this.text(limit);
  }

  /** A name: a text that is not empty. */
  name(limit: number): string {
    return this.text(limit) || this.fail('an empty text');
  }

  /** The texts of a list; none if the list is missing. */
  texts(count: number, length: number): readonly string[] {
    return this.isMissing ? [] : this.items(count).map((item) => item.text(length));
  }

  number(): number {
    return typeof this.value === 'number' && Number.isFinite(this.value) ? this.value : this.fail('not a number');
  }

  /** Whether the value is true; false if it is missing. */
  flag(): boolean {
    if (this.isMissing) return false;
    return typeof this.value === 'boolean' ? this.value : this.fail('neither true nor false');
  }

  private get place(): string {
    if (!this.parent) return '';
    const { place } = this.parent;
    if (typeof this.key === 'number') return `${place}[${this.key}]`;
    return place === '' ? this.key : `${place}.${this.key}`;
  }
}
