import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Recipe } from '../config/recipe-schema.js';
import { supervisedBeginning } from '../config/supervised-beginning.js';
import { planRun, type RunPlan } from '../config/run-plan.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { affordableDemonstrations, expectedEpisodes } from '../training/budget.js';
import type { HorizonSchedule } from '../training/horizon.js';
import { totalsOfMetrics } from '../training/spending.js';
import { loadRun, type LoadedRun } from '../runs/load-run.js';
import { readResult } from '../runs/run-result.js';
import type { Cell } from './resolve-cells.js';
import { causeOf } from '../runners/failure-of.js';
import { trainInProcess } from '../runners/train-process.js';

/** The expected cost of one run of a cell. */
export interface CellEstimate {
  readonly id: string;
  readonly title?: string;
  /** Seconds of one run alone on this machine. */
  readonly seconds: number;
  /** The part for supervised stages that an earlier cell also trains for this one. */
  readonly sharedSeconds: number;
  /** Estimates if a budget counts turns or tokens. A stop rule can end a stage earlier. */
  readonly demonstrations: number;
  readonly episodes: number;
  readonly steps: number;
  readonly notes: readonly string[];
}

/** Steps of each stage of a pilot. The first step compiles programs and is not measured. */
const pilotSteps = 4;
const warmSteps = 1;
/** Most final tasks of a pilot. */
const mostTasks = 50;

/**
 * Steps of the pilots, as a share of the steps of all runs. A pilot is one short run for all cells that take equally
 * long for each turn.
 */
export function pilotShare(cells: readonly Cell[], seeds: number): number {
  const pilots = new Map(cells.map((cell) => [speedKey(cell), stepsOf(cell, pilotSteps)]));
  const all = cells.reduce((sum, cell) => sum + stepsOf(cell, Infinity), 0) * seeds;
  return [...pilots.values()].reduce((sum, steps) => sum + steps, 0) / Math.max(1, all);
}

function stepsOf({ recipe }: Cell, most: number): number {
  return planRun(recipe).stages.reduce((sum, { steps }) => sum + Math.min(steps, most), 0);
}

/** Equal for cells whose turns and batch rows take the same time. */
export function speedKey({ recipe: { environment, format, policy, algorithm } }: Cell): string {
  return JSON.stringify([environment, format, policy, algorithm]);
}

/** Trains a few steps in a temporary folder, once for equally fast cells, and estimates the cost of each cell. */
export async function estimateCells(
  cells: readonly [Cell, ...Cell[]],
  signal: AbortSignal,
): Promise<readonly CellEstimate[]> {
  const planned = cells.map((cell): PlannedCell => ({ cell, plan: planRun(cell.recipe) }));
  const speeds = new Map<string, Speed>();
  const folder = await mkdtemp(join(tmpdir(), 'agentgym-pilot-'));
  try {
    // Cells with the most funded stages come first: a cell without supervised steps cannot measure their time.
    const telling = [...planned].sort((a, b) => b.plan.funded.length - a.plan.funded.length);
    for (const one of telling) {
      const key = speedKey(one.cell);
      if (!speeds.has(key)) speeds.set(key, await runPilot(one, join(folder, `${speeds.size}`), signal));
    }
    const begun = new Set<string>();
    return planned.map((one) => {
      const beginning = supervisedBeginning(one.cell.recipe);
      const isShared = beginning !== undefined && begun.has(beginning);
      if (beginning !== undefined) begun.add(beginning);
      return estimate(one, speeds.get(speedKey(one.cell)) as Speed, isShared);
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface PlannedCell {
  readonly cell: Cell;
  readonly plan: RunPlan;
}

async function runPilot({ cell, plan }: PlannedCell, folder: string, signal: AbortSignal): Promise<Speed> {
  signal.throwIfAborted();
  const recipe = pilotRecipe(plan);
  const run = { recipe, directory: join(folder, 'run'), label: { tags: [] } };
  const outcome = await trainInProcess(run, false, () => undefined, signal);
  signal.throwIfAborted();
  const result = await readResult(run.directory);
  if (outcome.status === 'completed' && result !== undefined) {
    return measure(await loadRun(run.directory), planRun(recipe), result.seconds);
  }
  const cause = 'cause' in outcome ? causeOf(outcome) : outcome.status;
  throw new AgentgymError('AG_ABLATION_PILOT', { message: `The pilot of the cell ${cell.id} failed: ${cause}` });
}

function pilotRecipe({ recipe, longestHorizon }: RunPlan): Recipe {
  const stages = Object.entries(recipe.stages).map(([name, stage]) => {
    const { stopWhen: _, ...rest } = stage;
    if (rest.kind === 'rl') delete rest.horizon;
    const { warmup: __, ...optimizer } = stage.optimizer;
    const steps = Math.min(stage.steps, pilotSteps);
    return [name, { ...rest, steps, optimizer: { ...optimizer, warmup: 0 } }] as const;
  });
  // Only the final evaluation stays, and the one before training is as long: others would be idle.
  const { final, horizon, seed } = recipe.evaluation;
  const evaluation = {
    every: 0,
    final: { ...final, tasks: pilotTasks(final.tasks), episodesPerTask: 1 },
    ...(horizon !== undefined && { horizon }),
    ...(seed !== undefined && { seed }),
  };
  return {
    ...recipe,
    // The pilot is too short for a schedule to get past its first turns.
    horizon: { schedule: 'fixed', turns: longestHorizon },
    stages: Object.fromEntries(stages),
    evaluation,
    record: { episodes: 0 },
  } as Recipe;
}

const pilotTasks = (tasks: number | 'all'): number => Math.min(mostTasks, countOf(tasks));

interface Speed {
  /** Seconds of a supervised step per batch row, and of an rl step per turn. */
  readonly perRow: number;
  readonly perTurn: number;
  /** Turns of a training episode at the longest horizon. */
  readonly turns: number;
  readonly tokensPerTurn: number;
  /** Seconds of an evaluated episode. */
  readonly perEvaluated: number;
}

/** @param plan that of the pilot */
function measure({ metrics }: LoadedRun, plan: RunPlan, seconds: number): Speed {
  const spent = totalsOfMetrics(metrics.findLast((line) => 'cost/turns' in line.metrics)?.metrics ?? {});
  const { episodes = 0, turns = 0, tokens = 0 } = spent;
  const turnsPerEpisode = turns / Math.max(1, episodes);
  const secondsOf = (kind: 'sft' | 'rl') =>
    mean(
      plan.stages
        .filter((stage) => stage.kind === kind)
        .map((stage) => {
          const steps = metrics.filter(
            (line) => line.stage === stage.name && line.metrics['time/step_seconds'] !== undefined,
          );
          const warm = steps.length > warmSteps ? steps.slice(warmSteps) : steps;
          const size = stage.kind === 'sft' ? stage.batchSize : stage.episodesPerStep * turnsPerEpisode;
          return mean(warm.map((line) => Number(line.metrics['time/step_seconds']))) / size;
        }),
    );
  const training = metrics.reduce((sum, line) => sum + Number(line.metrics['time/step_seconds'] ?? 0), 0);
  const evaluated = finalPlays(plan);
  return {
    perRow: secondsOf('sft'),
    perTurn: secondsOf('rl'),
    turns: turnsPerEpisode,
    tokensPerTurn: tokens / Math.max(1, turns),
    perEvaluated: Math.max(0, seconds - training) / evaluated,
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/**
 * How many final tasks are played: before and after training at each temperature, and by the baselines. After training,
 * they are also played in other environments.
 */
function finalPlays({ before, recipe, lastRl, transfer }: RunPlan): number {
  const { tasks, temperatures } = recipe.evaluation.final;
  const times = (all: readonly number[]) => new Set([0, ...all]).size;
  const environments = 1 + transfer.filter(({ isOwn }) => !isOwn).length;
  const first = countOf(before.tasks === 'all' ? tasks : before.tasks) * times(before.temperatures);
  return (lastRl !== undefined ? first : 0) + countOf(tasks) * environments * (times(temperatures) + 3);
}

function estimate(
  { cell: { id, title, recipe, notes }, plan }: PlannedCell,
  speed: Speed,
  isShared: boolean,
): CellEstimate {
  let sharedSeconds = 0;
  let [seconds, demonstrations, episodes, steps, evaluations] = [0, 0, 0, 0, 0];
  for (const stage of plan.stages) {
    const { budget } = stage;
    let planned = stage.steps;
    if (stage.kind === 'sft') {
      const affordable = budget === undefined ? Infinity : affordableDemonstrations(budget);
      const asked = stage.own.demonstrations.count ?? stage.steps * stage.batchSize;
      demonstrations += Math.min(asked, affordable);
      if (affordable === 0) planned = 0;
      seconds += planned * stage.batchSize * speed.perRow;
      if (isShared) sharedSeconds += planned * stage.batchSize * speed.perRow;
    } else {
      const perStep = stage.episodesPerStep;
      const turns = Math.min(speed.turns, meanTurns(stage.horizon));
      const affordable = budget === undefined ? Infinity : expectedEpisodes(budget, turns, turns * speed.tokensPerTurn);
      planned = Math.min(planned, Math.ceil(affordable / perStep));
      const played = Math.min(planned * perStep, affordable);
      episodes += played;
      seconds += played * turns * speed.perTurn;
    }
    steps += planned;
    if (recipe.evaluation.every > 0) evaluations += Math.floor(planned / recipe.evaluation.every);
  }
  const { evaluation } = recipe;
  // Without evaluations during training, the recipe lacks the keys that describe them.
  const during =
    evaluations === 0
      ? 0
      : evaluations * evaluation.temperatures.length * countOf(evaluation.tasks) * evaluation.episodesPerTask;
  const final = finalPlays(plan) * evaluation.final.episodesPerTask;
  return {
    id,
    ...(title !== undefined && { title }),
    seconds: seconds + (during + final) * speed.perEvaluated,
    sharedSeconds,
    demonstrations,
    episodes,
    steps,
    notes,
  };
}

/** `all` is roughly the size of a split of the built-in environments. */
function countOf(tasks: number | 'all'): number {
  return tasks === 'all' ? 1000 : tasks;
}

/** Mean over the horizons of a schedule, if each lasts equally long. */
function meanTurns(horizon: HorizonSchedule): number {
  if (horizon.schedule === 'fixed') return horizon.turns;
  return horizon.schedule === 'linear' ? (horizon.from + horizon.to) / 2 : mean(horizon.turns);
}
