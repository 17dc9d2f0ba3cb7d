import type { RunPlan } from '../config/run-plan.js';
import type { ComposedReward } from '../rollout/compose-reward.js';
import type { RewardDescription, RewardDescriptions } from '../runs/run-manifest.js';
import { rewardBounds } from './check-rewards.js';
import type { Parts } from './make-parts.js';

/**
 * The bounds of the rewards of a recipe, for its manifest.
 *
 * @returns null if no stage uses rewards
 */
export function describeRewards(
  plan: RunPlan,
  { environment, reward, rl }: Pick<Parts, 'environment' | 'reward' | 'rl'>,
): RewardDescriptions | null {
  if (rl.size === 0) return null;
  const setting = {
    horizon: plan.longestHorizon,
    milestones: environment.facts.includes('milestones'),
    actionTokens: plan.recipe.policy.sampling.maxActionTokens,
    tools: plan.recipe.tools !== undefined,
  };
  const describe = (one: ComposedReward): RewardDescription => ({
    bounds: rewardBounds({ ...setting, reward: one }, [1]),
  });
  const stages: Record<string, RewardDescription> = {};
  for (const { kind, name, own } of plan.stages) {
    const replaced = kind === 'rl' && own.reward !== undefined ? rl.get(name)?.reward : undefined;
    if (replaced !== undefined) stages[name] = describe(replaced);
  }
  return { ...describe(reward), ...(Object.keys(stages).length > 0 && { stages }) };
}
