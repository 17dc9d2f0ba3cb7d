import type { RunPlan, StagePlan } from '../config/run-plan.js';
import type { SplitName } from '../contracts/environment.js';
import type { TaskList } from '../rollout/world-handle.js';
import { affordableDemonstrations, expectedEpisodes } from '../training/budget.js';
import type { HorizonSchedule } from '../training/horizon.js';
import { meanOrZero, playsOfOthers, type Speed, type StageSpeed, timesPlayed } from './pilot-speed.js';

/** The expected cost of a run. A stop rule can end a stage earlier. */
export interface ExpectedCost {
  /** Of the run alone on this machine. Its parts add up to `total`. */
  readonly seconds: {
    readonly total: number;
    /** Before the first stage. */
    readonly preparation: number;
    /** Of all sft stages, and of all rl stages, without evaluations. */
    readonly supervised: number;
    readonly reinforcement: number;
    readonly evaluations: number;
  };
  /** Estimates if a budget counts turns or tokens. */
  readonly demonstrations: number;
  readonly episodes: number;
  readonly steps: number;
}

/** Tasks of each split. */
export type TaskCounts = { readonly [split in SplitName]: TaskList['count'] };

/** Roughly the size of a split of the built-in environments. */
export const usualTasks = 1000;

/** @param counts absent: splits are as large as those of the built-in environments */
export function expectedCost(plan: RunPlan, speed: Speed, counts?: TaskCounts): ExpectedCost {
  const stages = plan.stages.map((stage) => stageCost(stage, plan, speed, counts));
  const sumOf = (key: keyof StageCost, kind?: StagePlan['kind']) =>
    stages.reduce((sum, cost, i) => sum + (kind === undefined || plan.stages[i]?.kind === kind ? cost[key] : 0), 0);
  const { preparation } = speed;
  const [supervised, reinforcement] = [sumOf('seconds', 'sft'), sumOf('seconds', 'rl')];
  const evaluations = sumOf('evaluations') + finalSeconds(plan, speed, counts);
  const total = preparation + supervised + reinforcement + evaluations;
  return {
    seconds: { total, preparation, supervised, reinforcement, evaluations },
    demonstrations: sumOf('demonstrations'),
    episodes: sumOf('episodes'),
    steps: sumOf('steps'),
  };
}

interface StageCost {
  /** Without its evaluations. */
  readonly seconds: number;
  /** Seconds of its evaluations. */
  readonly evaluations: number;
  readonly demonstrations: number;
  readonly episodes: number;
  readonly steps: number;
}

function stageCost(stage: StagePlan, plan: RunPlan, speed: Speed, counts?: TaskCounts): StageCost {
  const { budget } = stage;
  const costOf = (steps: number, own: Pick<StageCost, 'demonstrations' | 'episodes'>, amount: number): StageCost => ({
    seconds: stageSeconds(speed[stage.kind], steps, amount, plan),
    evaluations: evaluationsOf(steps, plan, speed, counts),
    ...own,
    steps,
  });
  if (stage.kind === 'sft') {
    const affordable = budget === undefined ? Infinity : affordableDemonstrations(budget);
    const asked = stage.own.demonstrations.count ?? stage.steps * stage.batchSize;
    const steps = affordable === 0 ? 0 : stage.steps;
    return costOf(steps, { demonstrations: Math.min(asked, affordable), episodes: 0 }, steps * stage.batchSize);
  }
  const turns = Math.min(speed.turns, meanOrZero(stage.entries.map(({ horizon }) => meanTurns(horizon))));
  const affordable = budget === undefined ? Infinity : expectedEpisodes(budget, turns, turns * speed.tokensPerTurn);
  const steps = Math.min(stage.steps, Math.ceil(affordable / stage.episodesPerStep));
  const episodes = Math.min(steps * stage.episodesPerStep, affordable);
  return costOf(steps, { demonstrations: 0, episodes }, episodes * turns);
}

/** @param amount rows or turns of the stage */
function stageSeconds(speed: StageSpeed, steps: number, amount: number, { recipe }: RunPlan): number {
  if (steps === 0) return 0;
  const { every } = recipe.checkpoint;
  // The last one is among what every stage has once.
  const checkpoints = every === 0 ? 0 : Math.ceil(steps / every) - 1;
  return speed.once + amount * speed.each + checkpoints * speed.checkpoint;
}

/** Seconds of the evaluations during a stage: every few steps, and after the last. */
function evaluationsOf(steps: number, { recipe }: RunPlan, speed: Speed, counts?: TaskCounts): number {
  const { evaluation } = recipe;
  // Without evaluations during training, the recipe lacks the keys that describe them.
  if (evaluation.every === 0) return 0;
  const { every, episodesPerTask, split, tasks, temperatures } = evaluation;
  const episodes = tasksOf(tasks, split, counts) * episodesPerTask;
  return Math.ceil(steps / every) * temperatures.length * evaluationSeconds(speed, episodes);
}

/** Seconds of the evaluations before reinforcement learning and at the end. */
function finalSeconds(plan: RunPlan, speed: Speed, counts?: TaskCounts): number {
  const { before, lastRl, recipe } = plan;
  const { episodesPerTask, split, tasks, temperatures } = recipe.evaluation.final;
  const episodes = tasksOf(tasks, split, counts) * episodesPerTask;
  const first = before.tasks === 'all' ? episodes : Math.min(episodes, before.tasks * episodesPerTask);
  return (
    (lastRl === undefined ? 0 : timesPlayed(before.temperatures) * evaluationSeconds(speed, first)) +
    timesPlayed(temperatures) * evaluationSeconds(speed, episodes) +
    playsOfOthers(plan) * episodes * speed.evaluation.other
  );
}

/**
 * Seconds of an evaluation of the policy. The pilot's is small, and many episodes side by side take less time each: as
 * much as training episodes, if those are quicker.
 */
function evaluationSeconds({ evaluation, rl }: Speed, episodes: number): number {
  const alone = evaluation.policy / Math.max(1, evaluation.episodes);
  if (episodes <= evaluation.episodes) return episodes * alone;
  return Math.max(evaluation.policy, episodes * (rl.episode > 0 ? Math.min(alone, rl.episode) : alone));
}

function tasksOf(tasks: number | 'all', split: SplitName, counts?: TaskCounts): number {
  const count = counts?.[split];
  if (typeof count !== 'number') return tasks === 'all' ? usualTasks : tasks;
  return tasks === 'all' ? count : Math.min(tasks, count);
}

/** Mean over the horizons of a schedule, if each lasts equally long. */
function meanTurns(horizon: HorizonSchedule): number {
  if (horizon.schedule === 'fixed') return horizon.turns;
  return horizon.schedule === 'linear' ? (horizon.from + horizon.to) / 2 : meanOrZero(horizon.turns);
}
