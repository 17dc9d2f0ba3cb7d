// How training episodes ended, and how turns failed, from the log of a run.
import { formatPath } from '../../config/recipe-layer.js';
import type { RunPlan } from '../../config/run-plan.js';
import type { Json } from '../../contracts/json.js';
import { fine, onlyARun, percent, unknown, type AdviceRule, type Judgement } from '../advice.js';
import type { RunMeasure } from '../measured.js';
import { horizonsOf } from '../play-tasks.js';
import { thresholds } from '../thresholds.js';
import { lengthened } from './turn-budget.js';

/** "over the last 50 steps of `rl`". */
export const overLate = ({ lateSteps, stage }: RunMeasure): string =>
  `over the last ${lateSteps} steps of \`${stage}\``;

/** A metric's late mean, or the reason why it is unknown. */
function lateMetric(run: RunMeasure | undefined, metric: string): number | Extract<Judgement, { verdict: 'unknown' }> {
  if (run === undefined) return { verdict: 'unknown', why: onlyARun };
  return run.late[metric] ?? { verdict: 'unknown', why: `the run did not log \`${metric}\`` };
}

export const cutByHorizon: AdviceRule = {
  id: 'truncated',
  judge({ planned, measured: { run } }) {
    if (planned.lastRl === undefined) return undefined;
    const share = lateMetric(run, 'rollout/truncated_by/horizon');
    if (typeof share !== 'number' || run === undefined) return share as Judgement;
    if (share <= thresholds.cutByHorizon.value) return fine(`the horizon cuts ${percent(share)} of late episodes`);
    if ((run.late['rollout/success'] ?? 1) < thresholds.coldStart.value) {
      return unknown('the policy solves almost nothing, so cut episodes say nothing about the horizon');
    }
    const { longest } = horizonsOf(planned);
    const change = lengthened(planned, 2 * longest);
    return {
      verdict: 'finding',
      severity: 'advice',
      finding: `The horizon of ${longest} turns cuts ${percent(share)} of the training episodes.`,
      evidence: `rollout/truncated_by/horizon ${overLate(run)}`,
      source: 'the Guide, table 4: more turns still helped there; limit: ours',
      basis: 'both',
      ...(change && { change }),
      trial: { axis: 'horizon', values: [longest, 2 * longest] },
    };
  },
};

export const invalidTurns: AdviceRule = {
  id: 'invalid',
  explainedBy: ['imitation'],
  judge({ planned, measured: { run } }) {
    if (planned.lastRl === undefined) return undefined;
    const share = lateMetric(run, 'rollout/invalid');
    if (typeof share !== 'number' || run === undefined) return share as Judgement;
    if (share <= thresholds.invalid.value) return fine(`${percent(share)} of late turns are malformed or illegal`);
    const change = priced(planned);
    return {
      verdict: 'finding',
      severity: 'advice',
      finding:
        `${percent(share)} of the turns are malformed or illegal` +
        (change === undefined
          ? ', although the reward has a price for them.'
          : ', and the reward has no price for them.'),
      evidence: `rollout/invalid ${overLate(run)}, ${percent(run.early['rollout/invalid'] ?? 0)} over the first ${run.earlySteps}`,
      source: 'the Guide, section 5 item 5 (the price is our addition)',
      basis: 'ours',
      ...(change && { change }),
    };
  },
};

/**
 * The reward with a small price for invalid turns; undefined if it already has one. All such prices of an episode cost
 * less than a quarter of a success.
 */
function priced(planned: RunPlan): { readonly [key: string]: Json } | undefined {
  const { lastRl: rl } = planned;
  if (rl === undefined) return undefined;
  const [{ reward, rewardPath }] = rl.entries;
  const { terms } = reward;
  if (terms.some(({ name }) => name === 'cost' || name === 'format')) return undefined;
  const price = Math.min(0.01, Math.floor(0.25e4 / horizonsOf(planned).longest) / 1e4);
  const told = terms.map(({ name, weight, options }): Json => {
    const changed = Object.keys(options).length > 0;
    return { name, ...(weight !== 1 && { weight }), ...(changed && { options }) };
  });
  return {
    [formatPath([...rewardPath, 'terms'])]: [...told, { name: 'cost', options: { turn: 0, token: 0, invalid: price } }],
  };
}

export const cutActions: AdviceRule = {
  id: 'cut-actions',
  explainedBy: ['imitation'],
  judge({ planned, measured: { run } }) {
    if (planned.lastRl === undefined) return undefined;
    const share = lateMetric(run, 'rollout/cut');
    if (typeof share !== 'number' || run === undefined) return share as Judgement;
    if (share <= thresholds.cutActions.value) return fine(`${percent(share)} of late actions are cut`);
    const { maxActionTokens } = planned.recipe.policy.sampling;
    return {
      verdict: 'finding',
      severity: 'advice',
      finding: `${percent(share)} of the actions reach maxActionTokens (${maxActionTokens}) and are cut.`,
      evidence: `rollout/cut ${overLate(run)}`,
      source: 'src/training/health-rules.ts (length-runaway)',
      basis: 'ours',
      change: { 'policy.sampling.maxActionTokens': 2 * maxActionTokens },
    };
  },
};
