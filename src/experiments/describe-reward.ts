// Measures the rewards of a run for its manifest: how high and low they are, and how often they are not 0. It plays
// training tasks before the first step.
import type { RunPlan } from '../config/run-plan.js';
import type { Random } from '../contracts/random.js';
import { isAgentgymError } from '../errors/agentgym-error.js';
import type { ComposedReward } from '../rollout/compose-reward.js';
import { type RewardDensity, rewardDensity } from '../rollout/reward-density.js';
import { baselinePlayers } from './baseline-players.js';
import { rewardBounds } from './check-rewards.js';
import type { Parts } from './make-parts.js';
import { playTrainingTasks } from './play-training-tasks.js';
import type { RewardDescription, RewardDescriptions } from '../runs/run-manifest.js';

/** Number of training tasks that each player plays once. */
const measuredTasks = 16;

/**
 * Describes the rewards of a recipe. The same seed gives the same numbers; failed episodes are left out. Plays nothing in
 * an external world.
 *
 * @param random a separate stream
 * @returns null if no stage uses rewards, or if the user interrupted it; a resumed run then measures them
 */
export async function describeRewards(
  plan: RunPlan,
  parts: Parts,
  random: Random,
  signal: AbortSignal,
): Promise<RewardDescriptions | null> {
  if (parts.rl.size === 0) return null;
  const describe = (reward: ComposedReward) => describeReward(plan, parts, reward, random, signal);
  try {
    const shared = await describe(parts.reward);
    const stages: Record<string, RewardDescription> = {};
    for (const { kind, name, own } of plan.stages) {
      const reward = kind === 'rl' && own.reward !== undefined ? parts.rl.get(name)?.reward : undefined;
      if (reward !== undefined) stages[name] = await describe(reward);
    }
    return Object.keys(stages).length === 0 ? shared : { ...shared, stages };
  } catch (error) {
    if (isAgentgymError(error) && error.code === 'AG_INTERRUPTED') return null;
    throw error;
  }
}

async function describeReward(
  plan: RunPlan,
  { environment }: Parts,
  reward: ComposedReward,
  random: Random,
  signal: AbortSignal,
): Promise<RewardDescription> {
  const { recipe, longestHorizon: horizon } = plan;
  const played = { plan, environment, reward, tasks: measuredTasks, random, signal };
  const density: { -readonly [player in keyof RewardDescription['density']]: RewardDensity } = {};
  // Turns of an external world may cost something, and other people may see them.
  const players = environment.world.external === true ? [] : baselinePlayers(environment);
  for (const actor of players) {
    if (actor.player === 'demonstrator') continue;
    const completed = await playTrainingTasks(played, actor, 1, horizon);
    if (completed.length > 0) density[actor.player] = rewardDensity(completed);
  }
  const { maxActionTokens } = recipe.policy.sampling;
  const milestones = environment.facts.includes('milestones');
  const setting = { reward, horizon, milestones, actionTokens: maxActionTokens, tools: recipe.tools !== undefined };
  return { bounds: rewardBounds(setting, [1]), density };
}
