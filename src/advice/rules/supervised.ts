import type { Recipe, SftStage } from '../../config/recipe-schema.js';
import { usualDemonstrations } from '../../config/stage-settings.js';
import { affordableDemonstrations } from '../../training/budget.js';
import { budgetsOf } from '../../experiments/stage-plan.js';
import { fine, percent, taughtFirst, unknown, type AdviceRule, type Subject } from '../advice.js';
import { thresholds } from '../thresholds.js';
import { startsTaught } from './reward.js';

/** The Guide's prices: a demonstration costs as much as ten tasks of reinforcement learning (section 4.1). */
const guidePrices = { demonstration: 10, task: 1 };

/** Whether reinforcement learning begins from something that succeeds now and then. */
export const coldStart: AdviceRule = {
  id: 'cold-start',
  judge(subject) {
    const { recipe, kind, measured } = subject;
    if (Object.values(recipe.stages).every((stage) => stage.kind !== 'rl')) return undefined;
    const found = kind === 'run' ? startOfRun(subject) : startOfRecipe(subject);
    if (typeof found === 'string') return unknown(found);
    if (found.rate >= thresholds.coldStart.value)
      return fine(`the policy that begins solves ${percent(found.rate)} (${found.on})`);
    const taught = Object.values(recipe.stages).some((stage) => stage.kind === 'sft');
    const oracle = measured.players['oracle'];
    return {
      verdict: 'finding',
      severity: 'problem',
      finding:
        `The policy that begins solves ${percent(found.rate)}: ` +
        (taught
          ? 'its supervised stage is too short to begin from.'
          : 'put a supervised stage on demonstrations before.'),
      evidence: `${found.on}${oracle === undefined ? '' : `; the oracle solves ${percent(oracle.success)}`}`,
      source: 'the Guide, section 5 item 9: ALFWorld, from 0 to 1 %, needed 300 demonstrations first',
      basis: 'paper',
      ...(taught && { trial: { axis: 'budget' } }),
    };
  },
};

type Start = { readonly rate: number; readonly on: string } | string;

function startOfRun({ measured: { run } }: Subject): Start {
  if (run?.start !== undefined) return { rate: run.start.rate, on: `${run.start.tasks} final tasks at temperature 0` };
  const early = run?.early['rollout/success'];
  if (run === undefined || early === undefined) return 'the run has logged no step of reinforcement learning';
  return { rate: early, on: `rollout/success over the first ${run.earlySteps} steps` };
}

function startOfRecipe({ recipe, measured: { players } }: Subject): Start {
  if (startsTaught(recipe)) return taughtFirst;
  const { random } = players;
  if (random === undefined) return 'nobody played';
  return {
    rate: random.success,
    on: `random play of ${random.tasks} training tasks, which an untaught policy is near to`,
  };
}

/** Whether each demonstration is seen about once by a pretrained model. */
export const supervisedEpochs: AdviceRule = {
  id: 'supervised-epochs',
  judge({ recipe }) {
    const sft = sftStage(recipe);
    // The Guide's figure is of pretrained models: one that is built from scratch has more to learn than a task.
    if (sft === undefined || recipe.policy.from === undefined) return undefined;
    const [name, { steps, batchSize }] = sft;
    const count = demonstrationsOf(recipe, sft);
    if (count === undefined) return unknown('how many demonstrations the file holds is known when it is read');
    const epochs = (steps * batchSize) / count;
    const evidence = `${steps} steps of ${batchSize} demonstrations out of ${count}: ${epochs.toFixed(1)} times each`;
    if (epochs <= thresholds.supervisedEpochs.value) return fine(evidence);
    return {
      verdict: 'finding',
      severity: 'advice',
      finding: `Demonstrations are seen ${epochs.toFixed(1)} times each; the Guide's models saw them once.`,
      evidence,
      source: 'the Guide, section 5 item 8 and appendix C',
      basis: 'paper',
      change: { [`stages.${name}.steps`]: Math.max(1, Math.ceil(count / batchSize)) },
      trial: { axis: 'budget' },
    };
  },
};

/** The share of a budget that goes into demonstrations, at the Guide's prices and in its currency: distinct tasks. */
export const supervisedShare: AdviceRule = {
  id: 'supervised-share',
  judge({ recipe, measured: { splits } }) {
    const sft = sftStage(recipe);
    const rl = Object.entries(recipe.stages).filter(([, stage]) => stage.kind === 'rl');
    if (sft === undefined || rl.length === 0) return undefined;
    const planned = shareOfBudget(recipe, sft[0]);
    const demonstrations = demonstrationsOf(recipe, sft);
    if (demonstrations === undefined) return unknown('how many demonstrations the file holds is known when it is read');
    const draws = rl.reduce((sum, [, stage]) => sum + (stage.kind === 'rl' ? stage.tasksPerStep * stage.steps : 0), 0);
    const tasks = splits.train === 'unbounded' ? draws : Math.min(draws, splits.train);
    const paid = demonstrations * guidePrices.demonstration;
    const share = planned ?? paid / (paid + tasks * guidePrices.task);
    const evidence =
      planned === undefined
        ? `${demonstrations} demonstrations at ${guidePrices.demonstration}, ${tasks} distinct tasks of reinforcement learning at ${guidePrices.task}`
        : "the recipe's own `budget.split`";
    const { supervisedShareLow: low, supervisedShareHigh: high } = thresholds;
    if (share >= low.value && share <= high.value)
      return fine(`${percent(share)} of the budget goes into demonstrations (${evidence})`);
    return {
      verdict: 'finding',
      severity: 'hint',
      finding: `${percent(share)} of the budget goes into demonstrations; in the Guide 60 % transferred best, though one seed does not part it from 100 %.`,
      evidence,
      source: 'the Guide, section 5 item 10 and table 9',
      basis: 'paper',
      trial: { axis: 'budget' },
    };
  },
};

function sftStage(recipe: Recipe): [string, SftStage] | undefined {
  for (const [name, stage] of Object.entries(recipe.stages)) if (stage.kind === 'sft') return [name, stage];
  return undefined;
}

function demonstrationsOf(recipe: Recipe, [name, stage]: [string, SftStage]): number | undefined {
  const { count, file } = stage.demonstrations;
  const budget = budgetsOf(recipe).get(name);
  const affordable = budget === undefined ? Infinity : affordableDemonstrations(budget);
  const wanted =
    count ?? (Number.isFinite(affordable) ? affordable : file === undefined ? usualDemonstrations : undefined);
  return wanted === undefined ? undefined : Math.max(1, Math.min(wanted, affordable));
}

function shareOfBudget(recipe: Recipe, sft: string): number | undefined {
  const units = budgetsOf(recipe).get(sft)?.units;
  return units === undefined || recipe.budget === undefined ? undefined : units / recipe.budget.units;
}
