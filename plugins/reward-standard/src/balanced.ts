import type { RewardScheme } from '@agentgym/cli';

import type { WayOptions } from './options.js';
import { payTheWay } from './pay-the-way.js';

/**
 * Pays for every second milestone when it is reached (the second, the fourth, ...), in equal parts of `share`, and 1
 * for success. If a task has a single milestone, `share` is paid with the success.
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
