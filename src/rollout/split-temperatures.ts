// A model computes log probabilities at one temperature a call. The rows of a batch may be of several: environments of a
// run may be sampled at different ones.
import type { TrainingBatch } from '../contracts/batch.js';
import { selectRows } from './select-rows.js';

/** Rows of a batch with the same temperature, as a batch that a model can compute. */
export interface TemperaturePart {
  readonly batch: TrainingBatch;
  /** Their places in the whole batch. Absent: it is the whole batch. */
  readonly rows?: readonly number[];
}

/** The parts of a batch, in the order of their first rows. A batch of one temperature is its only part. */
export function splitTemperatures(batch: TrainingBatch): readonly TemperaturePart[] {
  const { temperatures } = batch;
  if (temperatures === undefined) return [{ batch }];
  return [...new Set(temperatures)].map((temperature) => {
    const rows = [...temperatures.keys()].filter((row) => temperatures[row] === temperature);
    const { temperatures: _, ...part } = selectRows(batch, rows);
    return { batch: { ...part, temperature }, rows };
  });
}

/**
 * [rows, width] numbers of the tokens of a batch, from those of its parts; 0 in padding that a part lacks.
 *
 * @param columns one for each part, [rows of the part, width of the part]
 */
export function joinTokens(
  { rows, width }: TrainingBatch,
  parts: readonly TemperaturePart[],
  columns: readonly Float64Array[],
): Float64Array {
  const [whole] = columns;
  if (whole !== undefined && parts[0]?.rows === undefined) return whole;
  const joined = new Float64Array(rows * width);
  for (const [place, { batch, rows: own }] of parts.entries()) {
    const column = columns[place];
    for (const [index, row] of (own ?? []).entries()) {
      const from = index * batch.width;
      if (column !== undefined) joined.set(column.subarray(from, from + batch.width), row * width);
    }
  }
  return joined;
}

/** [rows, width] log probabilities of a batch whose rows may be of several temperatures. */
export async function logprobsOf(
  model: { logprobs(batch: TrainingBatch): Promise<Float64Array> },
  batch: TrainingBatch,
): Promise<Float64Array> {
  const parts = splitTemperatures(batch);
  const columns: Float64Array[] = [];
  for (const part of parts) columns.push(await model.logprobs(part.batch));
  return joinTokens(batch, parts, columns);
}
