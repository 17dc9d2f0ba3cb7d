import { availableParallelism } from 'node:os';

import type { DecoderConfig } from '../model/decoder-config.js';
import type { TransformerOptions } from '../options.js';

/** More threads than this mostly wait for each other, and each holds a copy of the weights. */
const MOST_THREADS = 8;

/** The maximum length of an episode if nothing limits it: rotary tables and caches have this size. */
const USUAL_LENGTH = 4096;

/** Threads that sample and train. */
export function threadsOf({ threads }: Pick<TransformerOptions, 'threads'>): number {
  return threads ?? Math.min(MOST_THREADS, availableParallelism());
}

/** Tokens of the longest sequence of any model. */
export function longestSequence(maxTokens: number | undefined): number {
  return maxTokens ?? USUAL_LENGTH;
}

/** Tokens of the longest sequence of a model. */
export function positionsOf(config: Pick<DecoderConfig, 'maxPositions'>, maxTokens: number | undefined): number {
  return Math.min(config.maxPositions, longestSequence(maxTokens));
}
