// Plays training tasks for advice, with the recipe's own reward. The players need no training, or are the policy of a
// run.
import type { RunPlan } from '../config/run-plan.js';
import { type Actor } from '../rollout/actor.js';
import { randomPlayer } from '../rollout/players.js';
import { rewardDensity } from '../rollout/reward-density.js';
import { grouped } from '../statistics/grouped.js';
import { mean } from '../statistics/mean.js';
import { signalOfGroups } from '../statistics/signal-of-groups.js';
import { longestTurns, type HorizonSchedule } from '../training/horizon.js';
import type { OpenEnvironment } from '../experiments/open-environment.js';
import { playTrainingTasks, type TrainingTasks } from '../experiments/play-training-tasks.js';
import type { PlanMeasure, PlayMeasure } from './measured.js';

/** The oracle plays with this many times the recipe's horizon, to reveal plans that are longer than the horizon. */
const roomForPlans = 4;
/** Group sizes to report, if enough episodes are played. */
const groupSizes = [2, 4, 8, 16, 32, 64];

/**
 * The first and the longest horizon of the last stage of reinforcement learning. Without such a stage, those of the
 * recipe.
 */
export function horizonsOf({ entries }: RunPlan): { readonly first: number; readonly longest: number } {
  const [{ horizon }] = entries;
  return { first: firstTurns(horizon), longest: longestTurns(horizon) };
}

function firstTurns(horizon: HorizonSchedule): number {
  if (horizon.schedule === 'fixed') return horizon.turns;
  return horizon.schedule === 'linear' ? horizon.from : Math.min(...horizon.turns);
}

/** The expert that supervised fine-tuning imitates; undefined without one, or if the games come from a file. */
export function imitatedExpert({ stages }: RunPlan): string | undefined {
  for (const stage of stages) {
    if (stage.kind !== 'sft') continue;
    const [{ expert, file }] = stage.demonstrations;
    if (file === undefined) return expert;
  }
  return undefined;
}

/** Whether the environment has an expert of this name. */
export function hasExpert({ world }: OpenEnvironment, name: string): boolean {
  return world.experts.includes(name);
}

/**
 * Plays the oracle with a longer horizon, and the random player to find how long an episode can last. Undefined without
 * an oracle.
 */
export async function measurePlans(stage: TrainingTasks): Promise<PlanMeasure | undefined> {
  if (!hasExpert(stage.environment, 'oracle')) return undefined;
  const { first, longest } = horizonsOf(stage.plan);
  const play = (player: string) => playTrainingTasks(stage, { kind: 'environment', player }, 1, roomForPlans * longest);
  const played = await play('oracle');
  if (played.length === 0) return undefined;
  const wandering = await play(randomPlayer);
  const lengths = played.filter(({ success }) => success).map(({ turns }) => turns.length);
  const within = (turns: number) => lengths.filter((length) => length <= turns).length / played.length;
  return {
    tasks: played.length,
    solved: lengths.length / played.length,
    mean: lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length),
    longest: Math.max(0, ...lengths),
    withinHorizon: within(longest),
    withinFirst: within(first),
    longestPlayed: Math.max(...[...played, ...wandering].map(({ turns }) => turns.length)),
  };
}

/** Plays groups as in training. Undefined if every episode failed. */
export async function measurePlay(
  stage: TrainingTasks,
  actor: Actor,
  episodesPerTask: number,
): Promise<PlayMeasure | undefined> {
  const played = await playTrainingTasks(stage, actor, episodesPerTask, horizonsOf(stage.plan).longest);
  if (played.length === 0) return undefined;
  const groups = grouped(played, ({ group }) => group);
  const returns = groups.map((group) => group.map((episode) => episode.return));
  const whole = returns.filter(({ length }) => length === episodesPerTask);
  const sizes = whole.length === 0 ? [] : groupSizes.filter((size) => size <= episodesPerTask);
  const own = whole.length === 0 ? [] : [stage.plan.lastRl?.update.groupSize ?? 1];
  const told = [...new Set([...sizes, ...own.filter((size) => size > 1 && size <= episodesPerTask)])];
  return {
    tasks: groups.length,
    episodesPerTask,
    success: mean(played.map(({ success }) => Number(success))),
    turnsMean: mean(played.map(({ turns }) => turns.length)),
    density: rewardDensity(played),
    groupsWithSignal: Object.fromEntries(
      told.sort((a, b) => a - b).map((size) => [String(size), signalOfGroups(whole, size)]),
    ),
  };
}
