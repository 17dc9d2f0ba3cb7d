import type { RlStagePlan, SftStagePlan, StagePlan } from '../../config/run-plan.js';
import type { CellSettings } from '../ablation-plan.js';
import { cannotVary, stagesOf, type Axis } from './axis.js';

/** The Guide's prices: a demonstration costs as much as ten episodes (section 4.1). */
const costs = { demonstration: 10, episode: 1 };

/**
 * Shares of one budget for demonstrations. The rest pays for reinforcement learning (the Practitioner's Guide, table
 * 9).
 */
export const budget: Axis = {
  name: 'budget',
  summary: 'SFT : RL, the share of one budget for demonstrations',
  cells({ plan, values = [0, 0.2, 0.4, 0.6, 0.8, 1] }) {
    const [sft, ...otherSft] = stagesOf(plan, 'sft');
    const [rl, ...otherRl] = stagesOf(plan, 'rl');
    if (sft === undefined || rl === undefined || otherSft.length + otherRl.length > 0) {
      const hint = 'Use a recipe with one stage of each kind, such as quickstart, or write an ablation file.';
      throw cannotVary('budget', 'it needs one sft and one rl stage', hint);
    }
    const shares = values.map((share) => {
      if (typeof share === 'number' && share >= 0 && share <= 1) return share;
      throw cannotVary('budget', `${JSON.stringify(share)} is not a share`, 'Write `--values` as numbers from 0 to 1.');
    });
    const { budget: given } = plan.recipe;
    const units = given?.units ?? ownCost(sft, rl);
    const prices = given?.costs ?? costs;
    const cells = shares.map((share) => ({
      id: `sft-${share}`,
      settings: {
        budget: { units, costs: prices, split: { [sft.name]: share, [rl.name]: round(1 - share) } },
        ...stepsFor(sft, rl, units, share, prices),
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

/** Units that the recipe itself would spend. */
function ownCost(sft: SftStagePlan, rl: RlStagePlan): number {
  return costs.demonstration * demonstrationsOf(sft) + costs.episode * rl.episodesPerStep * rl.steps;
}

/**
 * Steps that spend a share. Supervised steps grow with the demonstrations, so that each demonstration is seen as often
 * as in the recipe. Steps of reinforcement learning are as many as their episodes can be paid for. If turns or tokens
 * price the episodes, only the budget ends the stage.
 */
function stepsFor(sft: SftStagePlan, rl: RlStagePlan, units: number, share: number, prices: Prices): CellSettings {
  const demonstrations = demonstrationsOf(sft);
  const affordable = Math.floor((units * share) / (prices.demonstration ?? costs.demonstration) + 1e-9);
  // Without a count, the stage takes as many demonstrations as its units pay for, and all cells build the tokenizer
  // from the same text.
  const isCounted = sft.own.demonstrations.count !== undefined;
  const supervised = {
    ...(isCounted && { [`stages.${sft.name}.demonstrations.count`]: null }),
    [`stages.${sft.name}.steps`]: Math.max(minimumSteps(sft), Math.round((sft.steps * affordable) / demonstrations)),
  };
  if (prices.episode === undefined) return supervised;
  const rlSteps = Math.ceil((units * round(1 - share)) / prices.episode / rl.episodesPerStep - 1e-9);
  return { ...supervised, [`stages.${rl.name}.steps`]: Math.max(minimumSteps(rl), rlSteps) };
}

/** A stage must be longer than its warm-up. */
function minimumSteps({ own }: StagePlan): number {
  return own.optimizer.warmup + 1;
}

/** Number of demonstrations in the recipe if nothing has a price. */
function demonstrationsOf({ name, demonstrations }: SftStagePlan): number {
  const countUnpaid = demonstrations.reduce((sum, own) => sum + own.countUnpaid, 0);
  if (countUnpaid < Infinity) return countUnpaid;
  const hint = `Set \`stages.${name}.demonstrations.count\`.`;
  throw cannotVary('budget', 'the recipe does not give the number of demonstrations', hint);
}

/** Removes binary rounding errors, such as those of 1 - 0.8. */
function round(share: number): number {
  return Math.round(share * 1e9) / 1e9;
}
