import type { BatchRow } from './build-batch.js';
import type { DemonstrationRows } from './demonstration.js';

/** Demonstrations that can be asked for by their place. An array of them is one. */
export interface RowList {
  /** Number of demonstrations. */
  readonly length: number;
  at(place: number): DemonstrationRows | undefined;
}

interface PackedRow {
  readonly tokens: Int32Array;
  /** Start, end and number of each learned turn. */
  readonly turns: Int32Array;
}

/**
 * Demonstrations in the tokens of a policy, four bytes per token and outside the heap of JavaScript: a large file of
 * demonstrations becomes no larger in memory than it is on disk.
 */
export class PackedRows implements RowList {
  readonly #demonstrations: { readonly rows: readonly PackedRow[]; readonly task: string | undefined }[] = [];

  get length(): number {
    return this.#demonstrations.length;
  }

  add({ rows, task }: DemonstrationRows): void {
    const packed = rows.map(({ record, turns }) => ({
      tokens: Int32Array.from(record.tokens),
      turns: Int32Array.from(turns.flatMap(({ sampled, number }, index) => [...sampled, number ?? index])),
    }));
    this.#demonstrations.push({ rows: packed, task });
  }

  /** Number of tokens of every learned turn, of `count` demonstrations from `first`. */
  *actionLengths(first = 0, count = this.length): Iterable<number> {
    for (const { turns } of this.#demonstrations.slice(first, first + count).flatMap(({ rows }) => rows)) {
      for (let index = 0; index < turns.length; index += 3) yield turns[index + 1]! - turns[index]!;
    }
  }

  /** A copy of the demonstration that was added; undefined behind the last. */
  at(place: number): DemonstrationRows | undefined {
    const found = this.#demonstrations[place];
    if (found === undefined) return undefined;
    return { rows: found.rows.map(unpack), ...(found.task !== undefined && { task: found.task }) };
  }
}

function unpack(row: PackedRow): BatchRow {
  const tokens = [...row.tokens];
  const mask = tokens.map((): 0 | 1 => 0);
  const turns: BatchRow['turns'][number][] = [];
  for (let index = 0; index < row.turns.length; index += 3) {
    const [start, end, number] = row.turns.subarray(index, index + 3) as unknown as [number, number, number];
    mask.fill(1, start, end);
    turns.push({ sampled: [start, end], reward: 0, number });
  }
  return { record: { tokens, mask, logprobs: tokens.map(() => 0) }, turns, group: 0, truncated: false };
}
