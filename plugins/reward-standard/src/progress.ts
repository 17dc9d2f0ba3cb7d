import type { RewardScheme } from '@agentgym/cli';

import type { WayOptions } from './options.js';
import { payTheWay } from './pay-the-way.js';

/** Pays for progress when it is made, `share` in total, and 1 for success. */
export function create({ share }: WayOptions): RewardScheme {
  return payTheWay(share, ({ progress }) => progress);
}
