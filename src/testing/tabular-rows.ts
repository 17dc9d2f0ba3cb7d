import type { JsonObject } from '../contracts/json.js';
import { createRandom } from '../random/create-random.js';

/** The shape of a table and the initial state of its rows; JSON. */
export interface TabularRowsOptions {
  /** Number of logits in a row. A value head adds one number. */
  readonly vocabularySize: number;
  readonly valueHead: boolean;
  /** Number of last tokens that define a context; null: the whole prefix. */
  readonly contextLength: number | null;
  /** Standard deviation of the logits at the start. */
  readonly deviation: number;
  readonly seed: number;
}

/** Float64 numbers as base64, bit for bit. */
export const toBase64 = (row: Float64Array): string =>
  Buffer.from(row.buffer, row.byteOffset, row.byteLength).toString('base64');

/** The inverse of `toBase64`. */
export const fromBase64 = (text: string): Float64Array =>
  new Float64Array(new Uint8Array(Buffer.from(text, 'base64')).buffer);

/**
 * Rows of numbers by context. A row that was never written is computed from the seed and its context, so reading
 * changes nothing.
 */
export class TabularRows {
  readonly #written: Map<string, Float64Array>;
  readonly #initial = new Map<string, Float64Array>();

  constructor(
    readonly options: TabularRowsOptions,
    written: Iterable<readonly [string, Float64Array]> = [],
  ) {
    this.#written = new Map(written);
  }

  static fromJson(json: JsonObject): TabularRows {
    const rows = json['rows'] as readonly (readonly [string, string])[];
    return new TabularRows(
      json['options'] as unknown as TabularRowsOptions,
      rows.map(([context, row]) => [context, fromBase64(row)]),
    );
  }

  toJson(): JsonObject {
    return { options: { ...this.options }, rows: [...this.#written].map(([context, row]) => [context, toBase64(row)]) };
  }

  /** A copy that later writes do not change. */
  clone(): TabularRows {
    return new TabularRows(
      this.options,
      [...this.#written].map(([context, row]) => [context, row.slice()]),
    );
  }

  /** The same rows with a value head: new values start at 0. */
  withValueHead(): TabularRows {
    if (this.options.valueHead) return this;
    const reshaped = new TabularRows({ ...this.options, valueHead: true });
    for (const [context, row] of this.#written) reshaped.row(context).set(row);
    return reshaped;
  }

  /** Contexts that have been written. */
  get size(): number {
    return this.#written.size;
  }

  /** Numbers in a row. */
  get width(): number {
    return this.options.vocabularySize + (this.options.valueHead ? 1 : 0);
  }

  /** The context of the token at `end`. */
  contextOf(tokens: readonly number[] | Int32Array, end: number): string {
    const { contextLength } = this.options;
    return tokens.slice(contextLength === null ? 0 : Math.max(0, end - contextLength), end).join(' ');
  }

  /** One logit per id; read-only. */
  logits(context: string): Float64Array {
    return this.#read(context).subarray(0, this.options.vocabularySize);
  }

  /** The value of a context; 0 without a value head. */
  value(context: string): number {
    return this.#read(context)[this.options.vocabularySize] ?? 0;
  }

  /** The row of a context, for writing. */
  row(context: string): Float64Array {
    let row = this.#written.get(context);
    if (row === undefined) {
      row = this.#read(context).slice();
      this.#written.set(context, row);
    }
    return row;
  }

  #read(context: string): Float64Array {
    const known = this.#written.get(context) ?? this.#initial.get(context);
    if (known !== undefined) return known;
    const row = new Float64Array(this.width);
    const { deviation, seed, vocabularySize } = this.options;
    if (deviation > 0) {
      const random = createRandom(seed).stream('logits', context);
      for (let id = 0; id < vocabularySize; id += 1) row[id] = deviation * random.normal();
    }
    this.#initial.set(context, row);
    return row;
  }
}
