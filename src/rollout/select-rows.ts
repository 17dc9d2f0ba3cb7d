import type { TrainingBatch } from '../contracts/batch.js';

/** Some rows of a batch, in the order given, as wide as the longest of them. */
export function selectRows(batch: TrainingBatch, rows: readonly number[]): TrainingBatch {
  const width = rows.reduce((longest, row) => Math.max(longest, batch.length[row] ?? 0), 0);

  /** Copies a [rows, width] array into `target`. */
  function fill<A extends Int32Array | Uint8Array | Float64Array>(source: A, target: A): A {
    for (const [index, row] of rows.entries()) {
      target.set(source.subarray(row * batch.width, row * batch.width + width), index * width);
    }
    return target;
  }
  const size = rows.length * width;
  const numbers = (source: Float64Array): Float64Array => fill(source, new Float64Array(size));
  const pick = (source: ArrayLike<number>): number[] => rows.map((row) => source[row] as number);

  return {
    rows: rows.length,
    width,
    tokens: fill(batch.tokens, new Int32Array(size)),
    length: Int32Array.from(pick(batch.length)),
    mask: fill(batch.mask, new Uint8Array(size)),
    turn: fill(batch.turn, new Int32Array(size)),
    weight: numbers(batch.weight),
    logprobs: numbers(batch.logprobs),
    ...(batch.referenceLogprobs && { referenceLogprobs: numbers(batch.referenceLogprobs) }),
    ...(batch.values && { values: numbers(batch.values) }),
    rewards: numbers(batch.rewards),
    advantages: numbers(batch.advantages),
    ...(batch.returns && { returns: numbers(batch.returns) }),
    ...(batch.klCoefficient && { klCoefficient: numbers(batch.klCoefficient) }),
    ...(batch.greedyReturn && { greedyReturn: Float64Array.from(pick(batch.greedyReturn)) }),
    group: Int32Array.from(pick(batch.group)),
    truncated: Uint8Array.from(pick(batch.truncated)),
    bootstrapValue: Float64Array.from(pick(batch.bootstrapValue)),
    temperature: batch.temperature,
  };
}
