import type { RewardScheme } from '@agentgym/cli';

import type { CostOptions } from './options.js';
import { takePrices } from './take-prices.js';

/** Takes a price for each turn, each sampled token and each invalid action; text that was no action is invalid, too. */
export function create({ turn, token, invalid }: CostOptions): RewardScheme {
  return takePrices(
    ({ tokens, facts }) => turn + token * tokens + (facts.invalid ? invalid : 0),
    (actionTokens) => turn + token * actionTokens + invalid,
    turn,
  );
}
