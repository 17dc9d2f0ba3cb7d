import type { RewardScheme } from '@agentgym/cli';

import type { CostOptions } from './options.js';
import { takePrices } from './take-prices.js';

/**
 * Subtracts a price for each turn, each sampled token, each invalid action and each call of a tool, even if the call
 * fails. Text that is not an action is also invalid.
 */
export function create({ turn, token, invalid, toolCall }: CostOptions): RewardScheme {
  return takePrices(
    (played) =>
      turn +
      token * played.tokens +
      toolCall * (played.calls?.length ?? 0) +
      // A call is not an action, so it is never invalid.
      (played.facts.invalid ? invalid : 0),
    ({ actionTokens = 0, calls = 0 }) => turn + token * actionTokens + Math.max(invalid, toolCall * calls),
    turn,
  );
}
