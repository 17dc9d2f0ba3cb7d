import type { RewardScheme } from '@agentgym/cli';

import type { WayOptions } from './options.js';
import { payTheWay } from './pay-the-way.js';

/**
 * Pays for every second milestone as it is reached (the second, the fourth, ...), in equal parts of `share`, and 1 for
 * arriving. Where a task has a single milestone, `share` comes with the success.
 */
export function create({ share }: WayOptions): RewardScheme {
  return payTheWay(
    share,
    ({ milestones }) => milestones && pairs(milestones.reached) / Math.max(1, pairs(milestones.total)),
  );
}

function pairs(milestones: number): number {
  return Math.floor(milestones / 2);
}
