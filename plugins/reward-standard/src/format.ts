import type { RewardScheme } from '@agentgym/cli';

import type { FormatOptions } from './options.js';
import { takePrices } from './take-prices.js';

/** Subtracts `price` for each turn with malformed text or text cut at `maxActionTokens`, only once if both apply. */
export function create({ price }: FormatOptions): RewardScheme {
  return takePrices(
    ({ malformed, cut }) => (malformed || cut ? price : 0),
    () => price,
    0,
  );
}
