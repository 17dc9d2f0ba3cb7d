import type { DemonstrationRow } from './demonstration.js';

/** Rows that can be asked for by their place. An array of rows is one. */
export interface RowList {
  readonly length: number;
  at(place: number): DemonstrationRow | undefined;
}

interface PackedRow {
  readonly tokens: Int32Array;
  /** Start and end of each learned turn. */
  readonly ranges: Int32Array;
  readonly task: string | undefined;
}

/**
 * Demonstrations in the tokens of a policy, four bytes per token and outside the heap of JavaScript: a large file of
 * demonstrations becomes no larger in memory than it is on disk.
 */
export class PackedRows implements RowList {
  readonly #rows: PackedRow[] = [];

  get length(): number {
    return this.#rows.length;
  }

  add({ record, turns, task }: DemonstrationRow): void {
    this.#rows.push({
      tokens: Int32Array.from(record.tokens),
      ranges: Int32Array.from(turns.flatMap(({ sampled }) => sampled)),
      task,
    });
  }

  /** Number of tokens of every learned turn, of `count` rows from `first`. */
  *actionLengths(first = 0, count = this.length): Iterable<number> {
    for (const { ranges } of this.#rows.slice(first, first + count)) {
      for (let index = 0; index < ranges.length; index += 2) yield ranges[index + 1]! - ranges[index]!;
    }
  }

  /** A copy of the row that was added; undefined behind the last. */
  at(place: number): DemonstrationRow | undefined {
    const row = this.#rows[place];
    if (row === undefined) return undefined;
    const { ranges, task } = row;
    const tokens = [...row.tokens];
    const mask = tokens.map((): 0 | 1 => 0);
    const turns: { sampled: readonly [number, number]; reward: number }[] = [];
    for (let index = 0; index < ranges.length; index += 2) {
      const [start, end] = [ranges[index] as number, ranges[index + 1] as number];
      mask.fill(1, start, end);
      turns.push({ sampled: [start, end], reward: 0 });
    }
    const record = { tokens, mask, logprobs: tokens.map(() => 0) };
    return { record, turns, group: 0, truncated: false, ...(task !== undefined && { task }) };
  }
}
