import type { Json } from '../../contracts/json.js';
import type { CellPlan } from '../ablation-plan.js';
import { valueName } from '../cell-id.js';
import { cannotVary, refuseOwn, rlStagesOf, type Axis } from './axis.js';

/**
 * Compares fixed horizons with schedules that lengthen them (ScalingInter-RL, AgentGym-RL, section 3.3). All cells are
 * evaluated at the longest horizon.
 */
export const horizon: Axis = {
  name: 'horizon',
  summary: 'Turns of an episode: fixed short, fixed long, linear, ScalingInter',
  cells(context) {
    const { longestHorizon } = context.plan;
    const stages = rlStagesOf('horizon', context.plan);
    const [rl] = stages;
    refuseOwn('horizon', 'horizon', 'stage', stages.find(({ own }) => own.horizon !== undefined)?.name);
    const environments = Object.entries(context.plan.recipe.environments ?? {});
    const [entry] = environments.find(([, { horizon: own }]) => own !== undefined) ?? [];
    refuseOwn('horizon', 'horizon', 'environment', entry);
    const cells = context.values === undefined ? proposed(longestHorizon, rl.steps) : context.values.map(givenCell);
    return {
      question: 'Does a growing horizon help training?',
      cells,
      reference: cells.find(({ id }) => id === 'fixed-long')?.id ?? cells[0]?.id ?? '',
      shared: { 'evaluation.horizon': Math.max(longestHorizon, ...cells.map(turnsOf)) },
    };
  },
};

/** @param long turns of the longest episode */
function proposed(long: number, steps: number): CellPlan[] {
  const short = Math.ceil(long / 2);
  if (long < 3) {
    throw cannotVary('horizon', `its longest episode has ${long} turns`, 'Raise `horizon.turns` to 3 or more.');
  }
  const middle = Math.ceil((short + long) / 2);
  const turns = [...new Set([short, middle, long])];
  const every = Math.max(1, Math.floor(steps / turns.length));
  return [
    { id: 'fixed-short', settings: { horizon: { schedule: 'fixed', turns: short } } },
    { id: 'fixed-long', settings: { horizon: { schedule: 'fixed', turns: long } } },
    { id: 'linear', settings: { horizon: { schedule: 'linear', from: short, to: long, over: steps } } },
    { id: 'scaling-inter', settings: { horizon: { schedule: 'scaling-inter', turns, every } } },
  ];
}

/** A number is a fixed horizon; a map is written as in a recipe. */
function givenCell(value: Json): CellPlan {
  if (typeof value === 'number')
    return { id: `fixed-${value}`, settings: { horizon: { schedule: 'fixed', turns: value } } };
  return { id: valueName(value), settings: { horizon: value } };
}

function turnsOf({ settings }: CellPlan): number {
  const { turns = 0, to = 0 } = settings['horizon'] as { turns?: number | number[]; to?: number };
  return Math.max(to, ...[turns].flat());
}
