import type { Recipe, RlStage } from '../../config/recipe-schema.js';
import { episodesPerStep } from '../../experiments/stage-plan.js';
import type { CellSettings } from '../ablation-plan.js';
import { cannotVary, stagesOf, type Axis } from './axis.js';

/** The Guide's prices: a demonstration costs as much as ten episodes (section 4.1). */
const costs = { demonstration: 10, episode: 1 };

/** Shares of one budget that go into demonstrations; the rest into reinforcement learning (the Practitioner's Guide, table 9). */
export const budget: Axis = {
  name: 'budget',
  summary: 'SFT : RL, the share of one budget that goes into demonstrations',
  cells({ recipe, values = [0, 0.2, 0.4, 0.6, 0.8, 1] }) {
    const [sft, ...otherSft] = stagesOf(recipe, 'sft');
    const [rl, ...otherRl] = stagesOf(recipe, 'rl');
    if (sft === undefined || rl === undefined || otherSft.length + otherRl.length > 0) {
      const hint = 'Take a recipe with one stage of each kind, such as quickstart, or write a grid file.';
      throw cannotVary('budget', 'it takes one sft and one rl stage', hint);
    }
    const shares = values.map((share) => {
      if (typeof share === 'number' && share >= 0 && share <= 1) return share;
      throw cannotVary('budget', `${JSON.stringify(share)} is no share`, 'Write `--values` as numbers from 0 to 1.');
    });
    const units = recipe.budget?.units ?? ownCost(recipe, sft, rl);
    const prices = recipe.budget?.costs ?? costs;
    const cells = shares.map((share) => ({
      id: `sft-${share}`,
      settings: {
        budget: { units, costs: prices, split: { [sft]: share, [rl]: round(1 - share) } },
        ...stepsFor(recipe, sft, rl, units, share, prices),
      },
    }));
    const question = `How much of ${units} units should go into demonstrations?`;
    return { question, cells, reference: cells[0]?.id ?? '', compare: 'all' };
  },
};

interface Prices {
  readonly demonstration?: number;
  readonly episode?: number;
}

/** What the recipe itself would spend. */
function ownCost(recipe: Recipe, sft: string, rl: string): number {
  const { demonstrations } = countsOf(recipe, sft);
  const stage = rlStage(recipe, rl);
  return costs.demonstration * demonstrations + costs.episode * episodesPerStep(recipe, stage) * stage.steps;
}

/**
 * Steps that spend a share: supervised steps grow with the demonstrations, so that each is seen as often as in the recipe; steps of
 * reinforcement learning are as many as their episodes can be paid for. Where episodes are priced by turns or tokens the budget alone ends
 * the stage.
 */
function stepsFor(recipe: Recipe, sft: string, rl: string, units: number, share: number, prices: Prices): CellSettings {
  const { demonstrations, steps } = countsOf(recipe, sft);
  const affordable = Math.floor((units * share) / (prices.demonstration ?? costs.demonstration) + 1e-9);
  const perStep = episodesPerStep(recipe, rlStage(recipe, rl));
  const stage = recipe.stages[sft];
  // Without a count the stage takes what its units pay for, and a tokenizer is built from the same text in all cells.
  const isCounted = stage?.kind === 'sft' && stage.demonstrations.count !== undefined;
  const supervised = {
    ...(isCounted && { [`stages.${sft}.demonstrations.count`]: null }),
    [`stages.${sft}.steps`]: Math.max(minimumSteps(recipe, sft), Math.round((steps * affordable) / demonstrations)),
  };
  if (prices.episode === undefined) return supervised;
  const rlSteps = Math.ceil((units * round(1 - share)) / prices.episode / perStep - 1e-9);
  return { ...supervised, [`stages.${rl}.steps`]: Math.max(minimumSteps(recipe, rl), rlSteps) };
}

/** A stage is longer than its own warm-up. */
function minimumSteps(recipe: Recipe, stage: string): number {
  return (recipe.stages[stage]?.optimizer.warmup ?? 0) + 1;
}

function countsOf(recipe: Recipe, name: string): { demonstrations: number; steps: number } {
  const stage = recipe.stages[name];
  if (stage?.kind !== 'sft') throw new Error(`${name} is no sft stage`);
  const { file, count } = stage.demonstrations;
  if (count === undefined && file !== undefined) {
    const hint = `Set \`stages.${name}.demonstrations.count\`.`;
    throw cannotVary('budget', 'the recipe does not say how many demonstrations it takes', hint);
  }
  return { demonstrations: count ?? 1000, steps: stage.steps };
}

function rlStage(recipe: Recipe, name: string): RlStage {
  const stage = recipe.stages[name];
  if (stage?.kind !== 'rl') throw new Error(`${name} is no rl stage`);
  return stage;
}

/** 1 - 0.8 without its binary dust. */
function round(share: number): number {
  return Math.round(share * 1e9) / 1e9;
}
