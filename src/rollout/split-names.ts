import type { SplitName } from '../contracts/environment.js';

/** All splits, in the order in which they are told. */
export const splitNames = ['train', 'validation', 'test'] as const satisfies readonly SplitName[];
