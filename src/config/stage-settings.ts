import type { UpdateSettings } from '../contracts/algorithm.js';
import type { AlgorithmSettings, HorizonSettings, Recipe, RewardSettings, RlStage } from './recipe-schema.js';

/** What holds in an rl stage: the recipe's own keys, with those that the stage overrides. */
export interface StageSettings {
  readonly algorithm: AlgorithmSettings;
  readonly horizon: HorizonSettings;
  readonly reward: RewardSettings;
}

/** Settings of one rl stage of a resolved recipe. */
export function stageSettings(recipe: Recipe, stage: RlStage): StageSettings {
  if (recipe.algorithm === undefined) throw new Error('a resolved recipe with an rl stage has an algorithm');
  return {
    algorithm: effectiveAlgorithm(recipe.algorithm, stage.algorithm),
    horizon: stage.horizon ?? recipe.horizon,
    reward: stage.reward ?? recipe.reward,
  };
}

/** What the training loop is told of an algorithm's settings. */
export function updateSettings(algorithm: AlgorithmSettings): UpdateSettings {
  const { groupSize, epochs, minibatches, recomputeLogprobs, importanceCap = 2 } = algorithm;
  return { groupSize, epochs, minibatches, recomputeLogprobs, importanceCap };
}

/** A stage's own keys win; options of another algorithm are not mixed with the recipe's. */
export function effectiveAlgorithm(base: AlgorithmSettings, override: RlStage['algorithm']): AlgorithmSettings {
  if (override === undefined) return base;
  const changed = override.name !== undefined && override.name !== base.name;
  return { ...base, ...override, options: changed ? override.options : { ...base.options, ...override.options } };
}

/** The longest horizon of a schedule: what evaluations, demonstrations and the model's memory are sized by. */
export function longestHorizon(horizon: HorizonSettings): number {
  switch (horizon.schedule) {
    case 'fixed':
      return horizon.turns;
    case 'linear':
      return Math.max(horizon.from, horizon.to);
    case 'scaling-inter':
    case 'success-rate':
    case 'truncation-rate':
      return Math.max(...horizon.turns);
  }
}

/** Demonstrations that are collected of an expert where neither `count` nor a budget says how many. */
export const usualDemonstrations = 1000;

/** Whether a stage of this kind pays anything out of a budget with these prices. */
export function costsAnything(
  kind: 'sft' | 'rl',
  { demonstration = 0, episode = 0, turn = 0, token = 0 }: NonNullable<Recipe['budget']>['costs'],
): boolean {
  return kind === 'sft' ? demonstration > 0 : episode + turn + token > 0;
}
