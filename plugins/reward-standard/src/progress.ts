import type { RewardScheme } from '@agentgym/cli';

import type { WayOptions } from './options.js';
import { payTheWay } from './pay-the-way.js';

/** Pays for progress as it is made, `share` in all, and 1 for arriving. */
export function create({ share }: WayOptions): RewardScheme {
  return payTheWay(share, ({ progress }) => progress);
}
