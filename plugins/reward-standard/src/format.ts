import type { RewardScheme } from '@agentgym/cli';

import type { FormatOptions } from './options.js';
import { takePrices } from './take-prices.js';

/** Takes `price` for each turn whose text was no action or was cut at `maxActionTokens`; once where it was both. */
export function create({ price }: FormatOptions): RewardScheme {
  return takePrices(
    ({ malformed, cut }) => (malformed || cut ? price : 0),
    () => price,
    0,
  );
}
