import type { RewardScheme } from '@agentgym/cli';

import type { WayOptions } from './options.js';
import { payTheWay } from './pay-the-way.js';

/** Pays for every milestone when it is reached, in equal parts of `share`, and 1 for success. */
export function create({ share }: WayOptions): RewardScheme {
  return payTheWay(share, ({ milestones }) => milestones && milestones.reached / Math.max(1, milestones.total));
}
