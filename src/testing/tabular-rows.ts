import type { Json, JsonObject } from '../contracts/json.js';
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

/** Rows by context as JSON, bit for bit. */
export const encodeRows = (rows: ReadonlyMap<string, Float64Array>): Json =>
  Array.from(rows, ([context, row]) => [
    context,
    Buffer.from(row.buffer, row.byteOffset, row.byteLength).toString('base64'),
  ]);

/** The inverse of `encodeRows`. */
export const decodeRows = (json: Json | undefined): Map<string, Float64Array> =>
  new Map(
    (json as [string, string][]).map(([context, row]) => [
      context,
      new Float64Array(new Uint8Array(Buffer.from(row, 'base64')).buffer),
    ]),
  );

/**
 * Rows of numbers by context. A row that was never written is computed from the seed and its context, so reading
 * changes nothing.
 */
export class TabularRows {
  readonly #written: Map<string, Float64Array>;
  readonly #initial = new Map<string, Float64Array>();
  /** Numbers in a row. */
  readonly width: number;

  constructor(
    readonly options: TabularRowsOptions,
    written: Iterable<readonly [string, Float64Array]> = [],
  ) {
    this.#written = new Map(written);
    this.width = options.vocabularySize + (options.valueHead ? 1 : 0);
  }

  static fromJson({ options, rows }: JsonObject): TabularRows {
    return new TabularRows(options as unknown as TabularRowsOptions, decodeRows(rows));
  }

  toJson(): JsonObject {
    return { options: { ...this.options }, rows: encodeRows(this.#written) };
  }

  /** A copy that later writes do not change, with a value head if one is asked for: new values start at 0. */
  clone(valueHead = this.options.valueHead): TabularRows {
    const copy = new TabularRows({ ...this.options, valueHead });
    for (const [context, row] of this.#written) {
      const wide = new Float64Array(copy.width);
      wide.set(row);
      copy.#written.set(context, wide);
    }
    return copy;
  }

  /** Contexts that have been written. */
  get size(): number {
    return this.#written.size;
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
    const row = this.#written.get(context) ?? this.#read(context).slice();
    this.#written.set(context, row);
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
