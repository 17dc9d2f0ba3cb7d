// How training episodes ended, and how turns failed, from the log of a run.
import { formatPath } from '../../config/recipe-layer.js';
import type { RlStagePlan, RunPlan } from '../../config/run-plan.js';
import type { Json } from '../../contracts/json.js';
import { fine, percent, unknown } from '../advice.js';
import { horizonsOf } from '../play-tasks.js';
import { thresholds } from '../thresholds.js';
import { lateRule, overLate } from './run-rule.js';
import { lengthened } from './turn-budget.js';

export const cutByHorizon = lateRule({
  id: 'truncated',
  metric: 'rollout/truncated_by/horizon',
  judge(share, { planned, run }) {
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
      change,
      trial: { axis: 'horizon', values: [longest, 2 * longest] },
    };
  },
});

export const invalidTurns = lateRule({
  id: 'invalid',
  explainedBy: ['imitation'],
  metric: 'rollout/invalid',
  judge(share, { planned, rl, run }) {
    if (share <= thresholds.invalid.value) return fine(`${percent(share)} of late turns are malformed or illegal`);
    const change = priced(planned, rl);
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
      change,
    };
  },
});

/**
 * The reward with a small price for invalid turns; undefined if it already has one. All such prices of an episode cost
 * less than a quarter of a success.
 */
function priced(planned: RunPlan, { entries }: RlStagePlan): { readonly [key: string]: Json } | undefined {
  const [{ reward, rewardPath }] = entries;
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

export const cutActions = lateRule({
  id: 'cut-actions',
  explainedBy: ['imitation'],
  metric: 'rollout/cut',
  judge(share, { planned, run }) {
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
});
