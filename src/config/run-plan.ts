// The plan of a resolved recipe: its stages in order, each with all its settings, and values derived from all stages.
// It is made once. Code that plays, trains, estimates or advises reads it here, in the shapes that the loops need.
import { isDeepStrictEqual } from 'node:util';

import type { FileLayout } from '../demonstrations/file-layout.js';
import type { ToolLimits } from '../rollout/toolbox.js';
import type { RolloutSettings } from '../rollout/collect-episodes.js';
import { affordableDemonstrations, costsAnything, type StageBudget, stageBudgets } from '../training/budget.js';
import { longestTurns } from '../training/horizon.js';
import type { ReinforcementOptions } from '../training/reinforcement.js';
import type { OptimizerPlan, StageOptions } from '../training/run-stage.js';
import type { SupervisedOptions } from '../training/supervised.js';
import { type KeyPath, valueAt } from './recipe-layer.js';
import type {
  AlgorithmSettings,
  CurriculumSettings,
  OptimizerKeys,
  Recipe,
  RewardSettings,
  RlStage,
  SftStage,
} from './recipe-schema.js';

/** Number of demonstrations from an expert if neither `count` nor a budget gives one. */
export const usualDemonstrations = 1000;

/** Expert of demonstrations and examples if nobody names one. */
export const usualExpert = 'demonstrator';

/** Number of an expert's games that a prompt shows if it says no number. */
export const usualExamples = 2;

/** Limits on the tools of an agent without a recipe. */
export const usualToolLimits: ToolLimits = { maxOutputCharacters: 2000, milliseconds: 10_000 };

/** What hands out tasks if nobody names anything. */
const usualCurriculum: CurriculumSettings = { name: 'uniform', options: {} };

/** Highest weight that corrects for the difference between sampler and trainer, if the recipe gives none. */
const usualImportanceCap = 2;

/** The common part of both kinds of stages. */
interface StageBase extends Pick<StageOptions, 'steps' | 'optimizer' | 'stopWhen'> {
  /** Its name in the recipe. */
  readonly name: string;
  /** Its spending limit. Absent if nothing limits it: its price is 0, or the recipe has no budget. */
  readonly budget?: StageBudget;
}

/** Supervised fine-tuning. */
export interface SftStagePlan extends StageBase, Pick<SupervisedOptions, 'batchSize'> {
  readonly kind: 'sft';
  /** The stage's keys in the recipe. */
  readonly own: SftStage;
  readonly demonstrations: {
    /** The expert that plays them, if no file is given. */
    readonly expert: string;
    readonly file?: string;
    /** Layout of the file; absent: its first line tells. */
    readonly fileFormat?: FileLayout;
    /** Whether the file may have demonstrations of other environments; absent: no. */
    readonly otherEnvironments?: true;
    readonly successOnly: boolean;
    /** Number of requested and affordable demonstrations. Infinity: all of the file. */
    readonly count: number;
    /** The number without a budget. */
    readonly countUnpaid: number;
  };
}

/** Reinforcement learning: the recipe's keys, with the overrides of the stage. */
export interface RlStagePlan extends StageBase, Pick<ReinforcementOptions, 'tasksPerStep' | 'update' | 'horizon'> {
  readonly kind: 'rl';
  /** The stage's keys in the recipe. */
  readonly own: RlStage;
  /** Options of another algorithm are not mixed with the recipe's. */
  readonly algorithm: Pick<AlgorithmSettings, 'name' | 'options'>;
  readonly reward: RewardSettings;
  readonly curriculum: CurriculumSettings;
  /** Turns of its longest episode. */
  readonly longestHorizon: number;
  /** Sampled episodes of a step, without refills and greedy ones. */
  readonly episodesPerStep: number;
}

export type StagePlan = SftStagePlan | RlStagePlan;

/** Another environment that the final evaluation plays, in addition to the recipe's own. */
interface TransferPlan {
  /** Its name in the recipe. */
  readonly name: string;
  readonly environment: Recipe['environment'];
  /** Turns after which an episode is cut. */
  readonly horizon: number;
  /** Whether it is the recipe's own environment under another name. Playing it again would give the same episodes. */
  readonly isOwn: boolean;
}

/** A recipe and its plan. */
export interface RunPlan {
  readonly recipe: Recipe;
  /** All stages, in order. */
  readonly stages: readonly StagePlan[];
  /** The stages that run: a stage whose share of the budget is 0 is skipped. */
  readonly funded: readonly StagePlan[];
  /** The stage that produces the policy; undefined if there is no reinforcement learning. */
  readonly lastRl: RlStagePlan | undefined;
  /** Turns of an evaluated episode. */
  readonly evaluationHorizon: number;
  /**
   * Turns of the longest episode of stages and evaluations. Demonstrations get this many turns, and a model must hold
   * them.
   */
  readonly longestHorizon: number;
  /** The evaluation before the first rl stage: tasks out of those of the final one, at temperature 0 and these. */
  readonly before: { readonly tasks: number | 'all'; readonly temperatures: readonly number[] };
  /** The environments of `evaluation.final.transfer`, in their order. */
  readonly transfer: readonly TransferPlan[];
  readonly rollout: RolloutSettings;
  readonly toolLimits: ToolLimits;
}

/** Plans a recipe that is resolved, or that lacks only options of contributions. */
export function planRun(recipe: Recipe): RunPlan {
  const budgets = budgetsOf(recipe);
  const stages = Object.entries(recipe.stages).map(([name, stage]): StagePlan => {
    const budget = budgets.get(name);
    return stage.kind === 'sft' ? planSft(name, stage, budget) : planRl(name, stage, budget, recipe);
  });
  const horizons = stages.flatMap((stage) => (stage.kind === 'rl' ? [stage.longestHorizon] : []));
  const longest = horizons.length === 0 ? longestTurns(recipe.horizon) : Math.max(...horizons);
  const evaluationHorizon = recipe.evaluation.horizon ?? longest;
  return {
    recipe,
    stages,
    funded: stages.filter(({ budget }) => budget?.units !== 0),
    lastRl: stages.findLast((stage) => stage.kind === 'rl'),
    evaluationHorizon,
    longestHorizon: Math.max(longest, recipe.evaluation.horizon ?? 0),
    before: { tasks: 'all', temperatures: recipe.evaluation.final.temperatures, ...recipe.evaluation.before },
    transfer: planTransfer(recipe, evaluationHorizon),
    rollout: planRollout(recipe.rollout),
    toolLimits: planToolLimits(recipe.rollout),
  };
}

/** The place of a stage's setting in the recipe: among the stage's own keys, or among the recipe's. */
export function settingPath({ name, own }: StagePlan, path: KeyPath): KeyPath {
  return valueAt(own, path) === undefined ? path : ['stages', name, ...path];
}

function planSft(name: string, stage: SftStage, budget: StageBudget | undefined): SftStagePlan {
  const { expert = usualExpert, file, fileFormat, count = Infinity, successOnly } = stage.demonstrations;
  const { otherEnvironments } = stage.demonstrations;
  const affordable = budget === undefined ? Infinity : affordableDemonstrations(budget);
  const usual = file === undefined ? usualDemonstrations : Infinity;
  const orUsual = (wanted: number): number => (wanted === Infinity ? usual : wanted);
  return {
    ...planBase(name, stage, budget),
    kind: 'sft',
    own: stage,
    batchSize: stage.batchSize,
    demonstrations: {
      expert,
      ...(file !== undefined && { file }),
      ...(fileFormat !== undefined && { fileFormat }),
      ...(otherEnvironments && { otherEnvironments }),
      successOnly,
      count: orUsual(Math.min(count, affordable)),
      countUnpaid: orUsual(count),
    },
  };
}

function planRl(name: string, stage: RlStage, budget: StageBudget | undefined, recipe: Recipe): RlStagePlan {
  if (recipe.algorithm === undefined) throw new Error('a recipe with an rl stage has an algorithm');
  const { name: algorithm, options, ...update } = withOverrides(recipe.algorithm, stage.algorithm);
  const horizon = stage.horizon ?? recipe.horizon;
  return {
    ...planBase(name, stage, budget),
    kind: 'rl',
    own: stage,
    tasksPerStep: stage.tasksPerStep,
    algorithm: { name: algorithm, options },
    update: { importanceCap: usualImportanceCap, ...update },
    horizon,
    reward: stage.reward ?? recipe.reward,
    curriculum: stage.curriculum ?? recipe.curriculum ?? usualCurriculum,
    longestHorizon: longestTurns(horizon),
    episodesPerStep: stage.tasksPerStep * update.groupSize,
  };
}

function planBase(name: string, { steps, optimizer, stopWhen }: SftStage | RlStage, budget?: StageBudget): StageBase {
  return {
    name,
    steps,
    optimizer: planOptimizer(optimizer),
    ...(stopWhen && { stopWhen }),
    ...(budget && { budget }),
  };
}

/** A stage's own keys win; options of another algorithm are not mixed with the recipe's. */
function withOverrides(base: AlgorithmSettings, override: RlStage['algorithm']): AlgorithmSettings {
  if (override === undefined) return base;
  const changed = override.name !== undefined && override.name !== base.name;
  return { ...base, ...override, options: changed ? override.options : { ...base.options, ...override.options } };
}

function planOptimizer({
  name,
  options,
  clipNorm,
  learningRate,
  floor = 0,
  ...schedule
}: OptimizerKeys): OptimizerPlan {
  return {
    settings: { name, options },
    learningRate: { peak: learningRate, floor, ...schedule },
    ...(clipNorm > 0 && { clipNorm }),
  };
}

/**
 * The spending limit of each stage. Stages with price 0 are absent, unless they have a share; without a budget all are
 * absent.
 */
function budgetsOf({ budget, stages }: Recipe): ReadonlyMap<string, StageBudget> {
  if (budget === undefined) return new Map();
  const limited = Object.entries(stages).filter(
    ([name, { kind }]) => costsAnything(kind, budget.costs) || budget.split?.[name] === 0,
  );
  return stageBudgets(
    budget,
    limited.map(([name]) => name),
  );
}

function planTransfer({ environment: own, evaluation }: Recipe, ownHorizon: number): TransferPlan[] {
  return Object.entries(evaluation.final.transfer ?? {}).map(([called, settings]) => {
    const { name = own.name, options, horizon = ownHorizon } = settings;
    const isOwn = name === own.name && horizon === ownHorizon && isDeepStrictEqual(options, own.options);
    return { name: called, environment: { name, options }, horizon, isOwn };
  });
}

function planRollout(rollout: Recipe['rollout']): RolloutSettings {
  const { inFlight, collection, deadlineSeconds = 60, retries, maxFailedShare } = rollout;
  const playerMilliseconds = deadlineSeconds * 1000;
  return { inFlight, retries, maxFailedShare, playerMilliseconds, ...(collection && { collection }) };
}

function planToolLimits({ maxToolCalls, maxToolOutput, toolSeconds }: Recipe['rollout']): ToolLimits {
  return {
    ...usualToolLimits,
    ...(maxToolCalls !== undefined && { maxCalls: maxToolCalls }),
    ...(maxToolOutput !== undefined && { maxOutputCharacters: maxToolOutput }),
    ...(toolSeconds !== undefined && { milliseconds: toolSeconds * 1000 }),
  };
}
