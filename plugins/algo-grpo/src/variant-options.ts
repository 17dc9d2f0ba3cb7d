// Published variants of GRPO under their names: the same code with other defaults.
import type { GroupedOptions } from '@agentgym/cli';

import { options } from './options.js';

/**
 * Dr. GRPO (arXiv 2503.20783): it divides by no deviation and favours neither short nor long answers. The paper divides
 * by a constant length, which is part of the learning rate here. Flat groups stay in the batch and in its mean, so that
 * the estimate is unbiased up to a factor.
 */
export const drGrpoOptions = {
  ...options,
  scaling: { group: 'scaling', change: { scaling: { default: 'none' } } },
  aggregation: { group: 'aggregation', change: { aggregation: { default: 'sequence-mean-token-sum' } } },
  flatGroups: { group: 'flatGroups', change: { dropFlatGroups: { default: false } } },
} as const satisfies GroupedOptions;

/** GSPO (arXiv 2507.18071), with the paper's bounds, which are for answers of thousands of tokens. */
export const gspoOptions = {
  ...options,
  ratioLevel: { ...options.ratioLevel, default: 'sequence' },
  aggregation: { group: 'aggregation', change: { aggregation: { default: 'sequence-mean-token-mean' } } },
  clip: { group: 'clip', change: { clipLow: { default: 3e-4 }, clipHigh: { default: 4e-4 } } },
} as const satisfies GroupedOptions;

/**
 * DAPO (arXiv 2503.14476): clip higher, dynamic sampling, token-level loss. Its overlong penalty depends on the task:
 * `overlongLimit` and `overlongBuffer` set it.
 */
export const dapoOptions = {
  ...options,
  clip: { group: 'clip', change: { clipHigh: { default: 0.28 } } },
  flatGroups: { group: 'flatGroups', change: { refillRounds: { default: 9 } } },
} as const satisfies GroupedOptions;
