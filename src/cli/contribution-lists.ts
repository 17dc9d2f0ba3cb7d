import type { ContributionKind } from '../contracts/plugin.js';

/** The kinds of contributions in the order of lists, each with the name of its list. */
export const contributionLists = {
  environment: 'environments',
  reward: 'rewards',
  policy: 'policies',
  algorithm: 'algorithms',
  format: 'formats',
  tool: 'tools',
  player: 'players',
  sampler: 'samplers',
  curriculum: 'curricula',
} as const satisfies { readonly [kind in ContributionKind]: string };

/** The name of a list of contributions. */
export type ContributionList = (typeof contributionLists)[ContributionKind];
