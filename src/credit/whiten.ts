import type { TrainingBatch } from '../contracts/batch.js';
import type { WhiteningOptions } from '../contracts/credit.js';
import { actionTokens } from './action-tokens.js';

/** (x - mean) / sqrt(variance + epsilon) over sampled tokens; see `CreditTools.whitenTokens`. */
export function whitenTokens(batch: TrainingBatch, values: Float64Array, options: WhiteningOptions = {}): Float64Array {
  const indices = actionTokens(batch).flatMap((episode) => episode.indices);
  const whiten = whitener(
    indices.map((index) => values[index] as number),
    options,
  );
  const whitened = new Float64Array(values.length);
  for (const index of indices) whitened[index] = whiten(values[index] as number);
  return whitened;
}

/**
 * Whitens over turns: REINFORCE's return batch normalisation (GEM, arXiv 2510.01051, section 3.2); see
 * `CreditTools.whitenTurns`.
 */
export function whitenTurns(batch: TrainingBatch, values: Float64Array, options: WhiteningOptions = {}): Float64Array {
  const episodes = actionTokens(batch);
  const whiten = whitener(
    episodes.flatMap(({ turnEnds }) => turnEnds.map((index) => values[index] as number)),
    options,
  );
  const whitened = new Float64Array(values.length);
  for (const { indices, turnEnds } of episodes) {
    let turn = 0;
    for (const index of indices) {
      const end = turnEnds[turn] as number;
      whitened[index] = whiten(values[end] as number);
      if (index === end) turn += 1;
    }
  }
  return whitened;
}

function whitener(
  values: readonly number[],
  { varianceEpsilon = 1e-8, noSignalBelow = 0, deviation = 'sample' }: WhiteningOptions,
): (value: number) => number {
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const variance = squares / Math.max(1, deviation === 'sample' ? values.length - 1 : values.length);
  // All values are equal, or there is only one: dividing by a tiny deviation would turn rounding into a signal.
  if (Math.sqrt(variance) <= noSignalBelow) return () => 0;
  const divisor = Math.sqrt(variance + varianceEpsilon);
  return (value) => (value - mean) / divisor;
}
