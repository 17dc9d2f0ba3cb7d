// Published variants of GRPO by their own names: the same code with other defaults.
import type { OptionsDeclaration } from '@agentgym/cli';

import { options } from './options.js';

/**
 * Dr. GRPO (arXiv 2503.20783): no deviation, and nothing that favours short or long answers. The paper divides by a
 * constant length, which is left to the learning rate here. Flat groups stay in the batch, and in its mean, so that the
 * estimate is unbiased up to a factor.
 */
export const drGrpoOptions = {
  ...options,
  scaling: { ...options.scaling, default: 'none' },
  aggregation: { ...options.aggregation, default: 'sequence-mean-token-sum' },
  dropFlatGroups: { ...options.dropFlatGroups, default: false },
} as const satisfies OptionsDeclaration;

/** GSPO (arXiv 2507.18071), with the paper's bounds, which are for answers of thousands of tokens. */
export const gspoOptions = {
  ...options,
  ratioLevel: { ...options.ratioLevel, default: 'sequence' },
  aggregation: { ...options.aggregation, default: 'sequence-mean-token-mean' },
  clipLow: { ...options.clipLow, default: 3e-4 },
  clipHigh: { ...options.clipHigh, default: 4e-4 },
} as const satisfies OptionsDeclaration;

/**
 * DAPO (arXiv 2503.14476): clip higher, dynamic sampling, token-level loss. Its overlong penalty depends on the task:
 * `overlongLimit` and `overlongBuffer` set it.
 */
export const dapoOptions = {
  ...options,
  clipHigh: { ...options.clipHigh, default: 0.28 },
  refillRounds: { ...options.refillRounds, default: 9 },
} as const satisfies OptionsDeclaration;
