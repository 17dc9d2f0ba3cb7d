import type { LossInputName, TrainingBatch } from '@agentgym/cli';

import type { HostArray } from '../operations/tensor.js';
import type { SampledToken } from './asking-positions.js';

/** The sampled tokens of some rows of a batch. Only these reach the head and the loss. */
export interface PackedSlots {
  /** The rows, as indices into the list of rows, and the positions, at least 1. */
  readonly slots: readonly SampledToken[];
  /** Number of episodes that the rows are of. Those of one episode are adjacent. */
  readonly episodes: number;
  /** For each slot, its index into the arrays of the batch, [rows, width]. */
  readonly indices: Int32Array;
  /** Tokens of each row that have an effect: those before its last sampled one. */
  readonly lengths: readonly number[];
  /** The largest of `lengths`, at least 1. */
  readonly longest: number;
  /**
   * `targets`, `episode` and `mask` [size], `inverseTemperature` [], and `weight` and the columns that a loss reads [size].
   * A column with a number per row is repeated for its tokens. Slots beyond the sampled tokens have mask 0.
   */
  readonly inputs: (size: number, reads: Iterable<LossInputName>) => { [name: string]: HostArray };
}

/**
 * Tokens after the last sampled one have no effect, and other values of the batch, such as NaN, are not read. Throws if
 * the first token of a sequence is sampled, because no token predicts it, or if the batch lacks a column.
 */
export function packSlots(batch: TrainingBatch, rows: readonly number[]): PackedSlots {
  const { width } = batch;
  const slots = sampledSlots(batch, rows);
  let episodes = 0;
  const episodeOf = rows.map((row, place) => {
    if (place === 0 || batch.episode[row] !== batch.episode[rows[place - 1]!]) episodes += 1;
    return episodes - 1;
  });
  const indices = Int32Array.from(slots, ({ sequence, position }) => rows[sequence]! * width + position);
  const lengths = Array.from(rows, () => 0);
  for (const { sequence, position } of slots) lengths[sequence] = Math.max(lengths[sequence]!, position);
  return {
    slots,
    episodes,
    indices,
    lengths,
    longest: Math.max(1, ...lengths),
    inputs: (size, reads) => {
      const inputs: { [name: string]: HostArray } = {
        targets: pick(new Int32Array(size), batch.tokens, indices),
        episode: new Int32Array(size),
        mask: new Uint8Array(size).fill(1, 0, slots.length),
        inverseTemperature: Float32Array.of(batch.temperature === 0 ? 1 : 1 / batch.temperature),
      };
      for (const [slot, { sequence }] of slots.entries()) inputs['episode']![slot] = episodeOf[sequence]!;
      for (const name of ['weight', ...reads] as const) {
        const column = batch[name];
        if (column === undefined) throw new Error(`the loss reads \`${name}\`, but the batch does not have it`);
        const isPerToken = column.length === batch.rows * width;
        const places = isPerToken ? indices : indices.map((index) => Math.floor(index / width));
        inputs[name] = pick(new Float32Array(size), column, places);
      }
      return inputs;
    },
  };
}

/** The sampled tokens of these rows, in order. `sequence` is the index in the list. */
function sampledSlots({ mask, width }: TrainingBatch, rows: readonly number[]): SampledToken[] {
  const slots: SampledToken[] = [];
  for (const [sequence, row] of rows.entries()) {
    if (mask[row * width] === 1)
      throw new Error(`the first token of row ${row} is masked as sampled, but no token precedes it to predict it`);
    for (let position = 1; position < width; position += 1) {
      if (mask[row * width + position] === 1) slots.push({ sequence, position });
    }
  }
  return slots;
}

/** Copies the values at the indices; the rest of `into` does not change. */
function pick<Into extends Int32Array | Float32Array>(into: Into, from: ArrayLike<number>, indices: Int32Array): Into {
  for (let slot = 0; slot < indices.length; slot += 1) into[slot] = from[indices[slot]!]!;
  return into;
}
