import type { RunPlan, SftStagePlan } from '../../config/run-plan.js';
import { fine, percent, unknown, type AdviceRule, type Subject } from '../advice.js';
import { thresholds } from '../thresholds.js';
import { untrainedStart } from './reward.js';

/** The Guide's prices: a demonstration costs as much as ten tasks of reinforcement learning (section 4.1). */
const guidePrices = { demonstration: 10, task: 1 };

/** Whether reinforcement learning starts from a policy that sometimes succeeds. */
export const coldStart: AdviceRule = {
  id: 'cold-start',
  explainedBy: ['imitation'],
  judge(subject) {
    const { planned, kind, measured } = subject;
    if (planned.lastRl === undefined) return undefined;
    const found = kind === 'run' ? startOfRun(subject) : startOfRecipe(subject);
    if (typeof found === 'string') return unknown(found);
    if (found.rate >= thresholds.coldStart.value)
      return fine(`the starting policy solves ${percent(found.rate)} (${found.on})`);
    const taught = sftStage(planned) !== undefined;
    const oracle = measured.players['oracle'];
    return {
      verdict: 'finding',
      severity: 'problem',
      finding:
        `The starting policy solves ${percent(found.rate)}: ` +
        (taught ? 'its supervised stage is too short.' : 'add a supervised stage on demonstrations before it.'),
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

function startOfRecipe({ planned, measured: { players } }: Subject): Start {
  const start = untrainedStart(planned, players);
  return typeof start === 'string' ? start : { rate: start.random.success, on: start.of };
}

/** Whether a pretrained model sees each demonstration about once. */
export const supervisedEpochs: AdviceRule = {
  id: 'supervised-epochs',
  judge({ planned }) {
    const sft = sftStage(planned);
    // The Guide's figure is for pretrained models. A model from scratch must learn more than the task.
    if (sft === undefined || planned.recipe.policy.from === undefined) return undefined;
    const { name, steps, batchSize } = sft;
    const count = demonstrationsOf(sft);
    if (count === undefined) return unknown('the number of demonstrations in the file is known only when it is read');
    const epochs = (steps * batchSize) / count;
    const evidence = `${steps} steps of ${batchSize} demonstrations out of ${count}: ${epochs.toFixed(1)} times each`;
    if (epochs <= thresholds.supervisedEpochs.value) return fine(evidence);
    return {
      verdict: 'finding',
      severity: 'advice',
      finding: `Each demonstration is seen ${epochs.toFixed(1)} times; the Guide's models saw each once.`,
      evidence,
      source: 'the Guide, section 5 item 8 and appendix C',
      basis: 'paper',
      change: { [`stages.${name}.steps`]: Math.max(1, Math.ceil(count / batchSize)) },
      trial: { axis: 'budget' },
    };
  },
};

/** The share of a budget that is spent on demonstrations, with the Guide's prices and its currency: distinct tasks. */
export const supervisedShare: AdviceRule = {
  id: 'supervised-share',
  explainedBy: ['imitation'],
  judge({ planned: { recipe, stages, lastRl }, measured: { splits } }) {
    const sft = sftStage({ stages });
    if (sft === undefined || lastRl === undefined) return undefined;
    const units = sft.budget?.units;
    const ownShare = units === undefined || recipe.budget === undefined ? undefined : units / recipe.budget.units;
    const demonstrations = demonstrationsOf(sft);
    if (demonstrations === undefined)
      return unknown('the number of demonstrations in the file is known only when it is read');
    const draws = stages.reduce((sum, stage) => sum + (stage.kind === 'rl' ? stage.tasksPerStep * stage.steps : 0), 0);
    const tasks = splits.train === 'unbounded' ? draws : Math.min(draws, splits.train);
    const paid = demonstrations * guidePrices.demonstration;
    const share = ownShare ?? paid / (paid + tasks * guidePrices.task);
    const evidence =
      ownShare === undefined
        ? `${demonstrations} demonstrations at a price of ${guidePrices.demonstration}, at most ${tasks} distinct tasks of reinforcement learning at a price of ${guidePrices.task}`
        : "the recipe's own `budget.split`";
    const { supervisedShareLow: low, supervisedShareHigh: high } = thresholds;
    if (share >= low.value && share <= high.value)
      return fine(`${percent(share)} of the budget goes into demonstrations (${evidence})`);
    return {
      verdict: 'finding',
      severity: 'hint',
      finding: `${percent(share)} of the budget goes into demonstrations; in the Guide 60 % transferred best, but with one seed this is not separable from 100 %.`,
      evidence,
      source: 'the Guide, section 5 item 10 and table 9',
      basis: 'paper',
      trial: { axis: 'budget' },
    };
  },
};

/** The first supervised stage. */
export function sftStage({ stages }: Pick<RunPlan, 'stages'>): SftStagePlan | undefined {
  return stages.find((stage) => stage.kind === 'sft');
}

/** Undefined if a file determines the number. */
function demonstrationsOf({ demonstrations: [{ count }] }: SftStagePlan): number | undefined {
  return count === Infinity ? undefined : Math.max(1, count);
}
