// Whether the rewards of a recipe's rl stages keep every success above every failure. Known only once schemes and
// algorithms have been made.
import type { KeyPath } from '../config/recipe-layer.js';
import { formatPath } from '../config/recipe-layer.js';
import type { Algorithm } from '../contracts/algorithm.js';
import type { BoundsContext, RewardBounds } from '../contracts/reward.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import type { ComposedReward } from '../rollout/compose-reward.js';

/** A reward, and what its bounds depend on. */
interface RewardSetting {
  readonly reward: ComposedReward;
  /** Turns of the longest episode. */
  readonly horizon: number;
  /** The environment counts milestones. */
  readonly milestones: boolean;
  /** Tokens after which an action is cut. */
  readonly actionTokens: number;
  /** The agent has tools. */
  readonly tools: boolean;
}

/** The reward of an rl stage. */
export interface StageReward extends RewardSetting {
  /** Where the recipe says it: `reward`, or a stage's own. */
  readonly path: KeyPath;
  readonly allowInversion: boolean;
  readonly discount?: Algorithm['discount'];
}

/**
 * Refuses rewards under which a failure can return as much as a success, and `allowInversion` where none can.
 *
 * Two returns are looked at. The first is the undiscounted one. The second, where the algorithm discounts, is the
 * return as the first turn's last token sees it: the reward of turn t counts the product of t factors, each between
 * `turn * token ** actionTokens` (an action as long as it may be) and `turn * token` (of one token). So a success that
 * comes late counts less than the same success early, and may count less than a failure that earned something on its
 * way. Every term's bounds are asked for at both ends and the wider ones are added up: what passes holds, what is
 * refused may be rare. A critic, a baseline and a KL penalty in the reward play no part in it: they come on top of
 * whatever the reward says.
 *
 * Schemes that ask how many milestones there are are told 1 and as many as there are turns.
 *
 * @param written the user said the key: only then it is an error that it does nothing
 * @throws AG_REWARD_INVERSION with the numbers; AG_RECIPE_IDLE_SETTING where `allowInversion` accepts nothing
 */
export function checkRewards(stages: readonly StageReward[], written: (path: KeyPath) => boolean): void {
  const accepted = new Map<string, { readonly stage: StageReward; inverted: boolean }>();
  for (const stage of stages) {
    const inversion = findInversion(stage);
    if (inversion !== undefined && !stage.allowInversion) {
      throw new AgentgymError('AG_REWARD_INVERSION', {
        message: inversion,
        path: formatPath([...stage.path, 'terms']),
      });
    }
    const key = formatPath(stage.path);
    const before = accepted.get(key)?.inverted ?? false;
    accepted.set(key, { stage, inverted: before || inversion !== undefined });
  }
  for (const [key, { stage, inverted }] of accepted) {
    const path = [...stage.path, 'allowInversion'];
    if (inverted || !stage.allowInversion || !written(path)) continue;
    const { success, failure } = rewardBounds(stage, [1]);
    throw new AgentgymError('AG_RECIPE_IDLE_SETTING', {
      message:
        `\`${formatPath(path)}\` has no effect with \`${key}.terms\`: ` +
        `a success scores at least ${success[0]}, a failure at most ${failure[1]} in ${stage.horizon} turns.`,
      hint: 'Remove one of the two, or change the other.',
      path: formatPath(path),
    });
  }
}

/** How a failure can return as much as a success, in a sentence; undefined where it cannot. */
function findInversion(stage: StageReward): string | undefined {
  const { horizon, actionTokens, discount: { turn, token } = { turn: 1, token: 1 } } = stage;
  const inverted = ({ success, failure }: RewardBounds) => success[0] <= failure[1];
  const sentence = (how: string, { success, failure }: RewardBounds) =>
    `${how} a failure can score ${failure[1]}, but a success only ${success[0]}, in ${horizon} turns.`;
  const bounds = rewardBounds(stage, [1]);
  if (inverted(bounds)) return sentence('With these weights', bounds);
  if (turn === 1 && token === 1) return undefined;
  const discounted = rewardBounds(stage, [turn * token ** actionTokens, turn * token]);
  if (!inverted(discounted)) return undefined;
  const perToken = token === 1 ? '' : ` and ${token} per token (at most ${actionTokens} per turn)`;
  return sentence(`Discounted by ${turn} per turn${perToken}`, discounted);
}

/** Bounds at each of these discounts per turn, the widest of each term. */
export function rewardBounds(
  { reward, horizon, milestones, actionTokens, tools }: RewardSetting,
  discounts: readonly number[],
): RewardBounds {
  const contexts = discounts.flatMap((discount): BoundsContext[] => {
    const context = { horizon, actionTokens, discount, ...(tools && { tools }) };
    return milestones ? [1, horizon].map((total) => ({ ...context, milestones: total })) : [context];
  });
  return reward.bounds(...contexts);
}
