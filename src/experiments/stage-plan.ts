// From the keys of a resolved recipe to what the training loops take.
import { isDeepStrictEqual } from 'node:util';

import { costsAnything, longestHorizon as longestTurns, stageSettings } from '../config/stage-settings.js';
import type { HorizonSettings, OptimizerKeys, Recipe, RlStage } from '../config/recipe-schema.js';
import { type StageBudget, stageBudgets } from '../training/budget.js';
import type { HorizonSchedule } from '../training/horizon.js';
import type { OptimizerPlan } from '../training/run-stage.js';
import type { RolloutSettings } from '../rollout/collect-episodes.js';
import type { ToolLimits } from '../rollout/toolbox.js';

export function horizonSchedule(horizon: HorizonSettings): HorizonSchedule {
  if (horizon.schedule !== 'linear') return horizon;
  return { schedule: 'linear', turns: [horizon.from, horizon.to], over: horizon.over };
}

export function optimizerPlan(optimizer: OptimizerKeys): OptimizerPlan {
  const { name, learningRate, warmup, schedule, floor = 0, clipNorm, options } = optimizer;
  const constants = Object.entries(options).filter(([, value]) => value !== undefined);
  return {
    settings: { name, options: Object.fromEntries(constants) },
    learningRate: { peak: learningRate, warmup, schedule, floor },
    ...(clipNorm > 0 && { clipNorm }),
  };
}

export function rolloutSettings(rollout: Recipe['rollout']): RolloutSettings {
  const { inFlight, collection, deadlineSeconds = 60, retries, maxFailedShare } = rollout;
  const playerMilliseconds = deadlineSeconds * 1000;
  return { inFlight, retries, maxFailedShare, playerMilliseconds, ...(collection && { collection }) };
}

/** How much of its tools an agent may use. */
export function toolLimits({
  maxToolCalls,
  maxToolOutput = 2000,
  toolSeconds = 10,
}: Pick<Recipe['rollout'], 'maxToolCalls' | 'maxToolOutput' | 'toolSeconds'>): ToolLimits {
  return {
    ...(maxToolCalls !== undefined && { maxCalls: maxToolCalls }),
    maxOutputCharacters: maxToolOutput,
    milliseconds: toolSeconds * 1000,
  };
}

/** What each stage may spend. Without a limit, and absent, are stages whose price is 0, and all where the recipe has no budget. */
export function budgetsOf({ budget, stages }: Recipe): ReadonlyMap<string, StageBudget> {
  if (budget === undefined) return new Map();
  const { units, split } = budget;
  const costs = Object.fromEntries(Object.entries(budget.costs).filter(([, cost]) => cost !== undefined));
  const limited = Object.entries(stages).filter(
    ([name, { kind }]) => costsAnything(kind, costs) || split?.[name] === 0,
  );
  return stageBudgets(
    { units, costs, ...(split && { split }) },
    limited.map(([name]) => name),
  );
}

/** The stages that do something, in order. One whose share of the budget is 0 is skipped. */
export function fundedStages(recipe: Recipe): [name: string, stage: Recipe['stages'][string]][] {
  const budgets = budgetsOf(recipe);
  return Object.entries(recipe.stages).filter(([name]) => budgets.get(name)?.units !== 0);
}

/** Episodes of one step of an rl stage. */
export function episodesPerStep(recipe: Recipe, stage: RlStage): number {
  return stage.tasksPerStep * stageSettings(recipe, stage).algorithm.groupSize;
}

/** Turns of the longest episode that is played at all: what demonstrations are given, and what a model must hold. */
export function longestHorizon(recipe: Recipe): number {
  return Math.max(longestOfStages(recipe), recipe.evaluation.horizon ?? 0);
}

/** Turns of an evaluated episode. */
export function evaluationHorizon(recipe: Recipe): number {
  return recipe.evaluation.horizon ?? longestOfStages(recipe);
}

/** An environment beside the recipe's own that the final evaluation plays. */
export interface TransferPlan {
  /** What the recipe calls it. */
  readonly name: string;
  readonly environment: Recipe['environment'];
  /** Turns after which an episode is cut. */
  readonly horizon: number;
  /** It is the recipe's own environment under another name: to play it again would give the same episodes. */
  readonly isOwn: boolean;
}

/** The environments of `evaluation.final.transfer` in a resolved recipe, in their order. */
export function transferPlans(recipe: Recipe): readonly TransferPlan[] {
  const { environment: own, evaluation } = recipe;
  const ownHorizon = evaluationHorizon(recipe);
  return Object.entries(evaluation.final.transfer ?? {}).map(([called, settings]) => {
    const { name = own.name, options, horizon = ownHorizon } = settings;
    const isOwn = name === own.name && horizon === ownHorizon && isDeepStrictEqual(options, own.options);
    return { name: called, environment: { name, options }, horizon, isOwn };
  });
}

function longestOfStages(recipe: Recipe): number {
  const stages = Object.values(recipe.stages).flatMap((stage) => (stage.kind === 'rl' ? [stage] : []));
  const horizons = stages.map((stage) => stageSettings(recipe, stage).horizon);
  return Math.max(...(horizons.length === 0 ? [recipe.horizon] : horizons).map(longestTurns));
}
