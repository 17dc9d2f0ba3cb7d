import type { BoundsContext, RewardScheme, RewardTurn } from '@agentgym/cli';

/**
 * A term that only subtracts `price(turn)` in every turn. It must be used next to an outcome reward; alone it is
 * refused. Its sum over an episode grows with the horizon, so each recipe is checked for whether success stays above
 * failure.
 *
 * @param dearest the highest price of one turn
 * @param cheapest the lowest price of one turn
 */
export function takePrices(
  price: (turn: RewardTurn) => number,
  dearest: (context: BoundsContext) => number,
  cheapest: number,
): RewardScheme {
  return {
    density: 'turn',
    // Subtracts from 0, because -0 would appear in the log.
    score: (turn) => 0 - price(turn),
    bounds: (context) => {
      const { horizon, discount = 1 } = context;
      let turns = 0;
      for (let turn = 0; turn < horizon; turn += 1) turns += discount ** turn;
      const low = 0 - dearest(context) * turns;
      // A success has at least one turn. A prompt without room for an action is a failure with no turns.
      return { success: [low, 0 - cheapest], failure: [low, 0] };
    },
  };
}
