import type { RunPlan } from '../config/run-plan.js';
import type { ComposedReward } from '../rollout/compose-reward.js';
import { callsOfTurn } from '../rollout/toolbox.js';
import type { RewardDescription, RewardDescriptions } from '../runs/run-manifest.js';
import { rewardBounds } from './check-rewards.js';
import type { Parts, PlayedEntry } from './make-parts.js';

/**
 * The bounds of the rewards of a recipe, for its manifest.
 *
 * @returns null if no stage uses rewards
 */
export function describeRewards(
  plan: RunPlan,
  { entries, rl }: Pick<Parts, 'entries' | 'rl'>,
): RewardDescriptions | null {
  if (rl.size === 0) return null;
  const describe = ({ environment, plan: entry, tools }: PlayedEntry, reward: ComposedReward): RewardDescription => {
    const milestones = environment.facts.includes('milestones');
    const { longestHorizon: horizon, sampling } = entry;
    const setting = { horizon, milestones, actionTokens: sampling.maxActionTokens };
    const calls = tools === undefined || tools.isEmpty ? 0 : callsOfTurn(tools.limits);
    return { bounds: rewardBounds({ ...setting, calls, reward }, [1]) };
  };
  const [first] = entries;
  const stages: Record<string, RewardDescription> = {};
  for (const { kind, name, own } of plan.stages) {
    const replaced = kind === 'rl' && own.reward !== undefined ? rl.get(name)?.rewards[0] : undefined;
    if (replaced !== undefined) stages[name] = describe(first, replaced);
  }
  const environments = entries.flatMap((one): [string, RewardDescription][] =>
    one.plan.entry === undefined ? [] : [[one.plan.entry, describe(one, one.reward)]],
  );
  return {
    ...describe(first, first.reward),
    ...(Object.keys(stages).length > 0 && { stages }),
    ...(environments.length > 1 && { environments: Object.fromEntries(environments) }),
  };
}
