// Results of a run on tasks that it was not trained on.
import { describeDetectableEffect } from '../../statistics/detectable-effect.js';
import type { Json } from '../../contracts/json.js';
import { fine, percent, points, pointsInterval, unknown, type AdviceRule } from '../advice.js';
import type { PairedGain } from '../measured.js';
import { horizonsOf } from '../play-tasks.js';
import { thresholds } from '../thresholds.js';
import { collapseGuide, curesOf, slowerRate } from './collapse.js';
import { overLate, runRule } from './run-rule.js';

/** Whether reinforcement learning gained anything over its start. */
export const gain = runRule({
  id: 'gain',
  explainedBy: ['imitation', 'collapse'],
  judge(subject) {
    const { run, rl, planned } = subject;
    if (run.gain === undefined) return unknown('the run has no final evaluation of its start and its end');
    if ((run.unchanged ?? 0) >= thresholds.unchanged.value) return unknown('the policy hardly changed: see movement');
    const { temperature } = planned.recipe.policy.sampling;
    const asTrained = temperature === 0 ? undefined : run.gainAsTrained;
    const evidence = [gained(run.gain, 0), ...(asTrained ? [gained(asTrained, temperature)] : [])].join('; ');
    if (isAbove(run.gain) || isAbove(asTrained)) return fine(`reinforcement learning gained ${evidence}`);
    const { high } = run.gain.difference;
    const worse = high !== null && high < 0;
    return {
      verdict: 'finding',
      severity: worse ? 'problem' : 'advice',
      finding: worse
        ? 'Reinforcement learning made the policy worse.'
        : 'Reinforcement learning shows no gain over its start: the interval contains 0.',
      evidence,
      source:
        'ours: paired over tasks, clusters kept together (docs/statistics.md); the Guide gives no intervals (section 4.4)',
      basis: 'ours',
      ...(worse
        ? {
            // Poor imitation leaves a weak start, but does not lower it.
            explainedBy: ['collapse'],
            cures: curesOf(subject, subject.measured.collapse),
            guide: collapseGuide,
            change: slowerRate(subject),
          }
        : {
            ...(run.steps < thresholds.reinforcedSteps.value && { change: moreSteps(rl.name, run.steps) }),
            trial: { axis: 'budget' },
          }),
    };
  },
});

const isAbove = (one: PairedGain | undefined): boolean => one?.difference.low != null && one.difference.low > 0;

const gained = ({ difference, tasks }: PairedGain, temperature: number): string =>
  `${points(difference.mean)} (95 % interval ${pointsInterval(difference)}) at temperature ${temperature}, paired over ${tasks} held-out tasks`;

/** Whether success had stopped rising when the run ended. */
export const unfinished = runRule({
  id: 'unfinished',
  explainedBy: ['imitation', 'collapse'],
  judge({ run, rl }) {
    if (run.rise === undefined) return unknown('the run is too short to tell whether success still rises');
    const { lateSteps, rise } = run;
    const evidence = `${points(rise.mean)} (95 % interval ${pointsInterval(rise)}) of rollout/success, the mean of the last ${lateSteps} steps minus that of the ${lateSteps} before`;
    const limit = thresholds.stillRising.value;
    if (rise.high !== null && rise.high <= limit) return fine(`success had levelled off: ${evidence}`);
    const isRising = rise.mean > limit && rise.low !== null && rise.low > 0;
    const isEarly = run.steps < thresholds.reinforcedSteps.value && (isAbove(run.gain) || isAbove(run.gainAsTrained));
    if (!isRising && !isEarly)
      return unknown(`the interval is too wide to tell whether success still rises: ${evidence}`);
    return {
      verdict: 'finding',
      severity: 'advice',
      finding: isRising
        ? 'Success was still rising when reinforcement learning ended: more steps may raise it further.'
        : `Reinforcement learning gained, and its ${run.steps} steps are too few to show that success had levelled off.`,
      evidence,
      source: fewSteps,
      basis: 'ours',
      change: moreSteps(rl.name, run.steps),
    };
  },
});

/** Lower learning rates are typical of pretrained models under AdamW. */
const lowRate = 1e-4;

const fewSteps =
  'our runs of recipes/quickstart: 250 steps at a learning rate of 0.003 beat the demonstrator; with Muon, ten times that rate destroys what imitation taught';

function moreSteps(stage: string, steps: number): Record<string, Json> {
  return { [`stages.${stage}.steps`]: Math.max(4 * steps, thresholds.reinforcedSteps.value) };
}

/** Whether the policy changed at all. */
export const movement = runRule({
  id: 'movement',
  explainedBy: ['imitation'],
  judge({ planned: { recipe }, run, rl }) {
    if (run.unchanged === undefined) return unknown('the run has no final evaluation of its start and its end');
    const evidence = `${percent(run.unchanged)} of ${run.final?.tasks ?? 0} held-out tasks end as before reinforcement learning, in the same number of turns`;
    if (run.unchanged < thresholds.unchanged.value) return fine(evidence);
    const { learningRate } = rl.own.optimizer;
    const scratch = recipe.policy.from === undefined;
    const isLow = learningRate < lowRate;
    return {
      verdict: 'finding',
      severity: 'problem',
      finding: `${run.steps} steps at a learning rate of ${learningRate} hardly changed the policy.`,
      evidence,
      source: !isLow
        ? fewSteps
        : scratch
          ? 'recipes/practitioners-guide: learning rates of pretrained models hardly change a preset, 0.0003 does'
          : 'the Guide, table 13: the higher learning rate learnt faster; limit: ours',
      basis: isLow && !scratch ? 'both' : 'ours',
      change: isLow
        ? {
            [`stages.${rl.name}.optimizer.learningRate`]: scratch ? 0.0003 : Number((10 * learningRate).toPrecision(2)),
          }
        : moreSteps(rl.name, run.steps),
    };
  },
});

/** Whether the policy also succeeds on tasks that it was not trained on. */
export const generalisation = runRule({
  id: 'generalisation',
  judge({ planned, run }) {
    const { temperature } = planned.recipe.policy.sampling;
    const trained = run.late['rollout/success'];
    if (trained === undefined || run.asTrained === undefined) {
      return unknown(`there is no final evaluation at the training temperature ${temperature}`);
    }
    const { rate, low, high } = run.asTrained;
    const gap = trained - rate;
    const evidence =
      `${percent(trained)} of training episodes ${overLate(run)}, ` +
      `${percent(rate)} (${percent(low)} to ${percent(high)}) held out, both at temperature ${temperature}`;
    if (gap <= thresholds.generalisation.value || trained <= high)
      return fine(
        `${percent(trained)} of late training episodes and ${percent(rate)} of held-out ones are solved, at temperature ${temperature}`,
      );
    return {
      verdict: 'finding',
      severity: 'advice',
      finding: `The policy solves ${points(gap).slice(1)} more of the training tasks than of the held-out tasks: more varied tasks help more than more steps.`,
      evidence,
      source:
        'the Guide, section 5 item 4 and table 7 (training on four types of tasks beats one, even on that one); limit: ours',
      basis: 'both',
    };
  },
});

/** Whether the policy plays better than chance. */
export const overRandom = runRule({
  id: 'over-random',
  explainedBy: ['imitation', 'collapse'],
  judge({ run }) {
    if (run.overRandom === undefined) return unknown('the run has no final evaluation of the random player');
    const { difference, tasks } = run.overRandom;
    const evidence = `${points(difference.mean)} (95 % interval ${pointsInterval(difference)}) over random play, ${tasks} held-out tasks`;
    if (difference.low !== null && difference.low > 0) return fine(evidence);
    return {
      verdict: 'finding',
      severity: 'problem',
      finding: 'The trained policy does not play better than random actions.',
      evidence,
      source: 'the Guide, section 5 item 7 (the random baseline is our addition; it equals its 1.5B base on w2-o3-q4)',
      basis: 'ours',
      trial: { axis: 'sparsity' },
    };
  },
});

/** Whether random play succeeds so often that success says little about skill. */
export const randomFloor: AdviceRule = {
  id: 'random-floor',
  judge({ planned, measured: { players } }) {
    const { random, oracle } = players;
    if (random === undefined) return unknown('no player played');
    const { longest } = horizonsOf(planned);
    const evidence =
      `random play of ${random.tasks} training tasks, ${random.episodesPerTask} times each, ${longest} turns: ${percent(random.success)} solved` +
      (oracle === undefined ? '' : `; the oracle: ${percent(oracle.success)}`);
    if (random.success <= thresholds.randomFloor.value)
      return fine(`random play solves ${percent(random.success)} in ${longest} turns`);
    return {
      verdict: 'finding',
      severity: 'hint',
      finding: `Random actions solve ${percent(random.success)} of the tasks in ${longest} turns: most of the scale of success is chance.`,
      evidence,
      source: 'the Guide, section 5 item 7 (random play as a baseline is our addition)',
      basis: 'ours',
      trial: { axis: 'complexity' },
    };
  },
};

/** Whether a planned ablation on these final tasks would detect a useful difference. */
export const power: AdviceRule = {
  id: 'power',
  judge({ planned, measured: { power: measured, splits } }) {
    if (measured === undefined) return unknown('no player has outcomes that differ between tasks');
    const { detectable, clusters, tasks, player, played, split, success } = measured;
    const [three, five] = [detectable['3'] ?? 1, detectable['5'] ?? 1];
    const effective = Math.round(clusters);
    const evidence =
      `${tasks} final tasks, effectively ${effective} clusters; spread of ${player} on ${played} ${split} tasks (${percent(success)} solved); ` +
      'seeds are assumed alike, so this is a lower bound';
    const words = `${describeDetectableEffect(three, 3, tasks)}, with 5 seeds above ${points(five).slice(1)}`;
    if (five <= thresholds.usefulDifference.value)
      return fine(`${words}, a lower bound with alike seeds (${tasks} final tasks, effectively ${effective} clusters)`);
    const { final } = planned.recipe.evaluation;
    const available = splits[final.split];
    const more = final.tasks !== 'all' && (available === 'unbounded' || available > final.tasks);
    return {
      verdict: 'finding',
      severity: 'hint',
      finding: `The final evaluation is small for comparisons: ${words}${more ? '' : '; the split has no more tasks, so use more seeds'}.`,
      evidence,
      source: 'docs/statistics.md; the Guide compared 25 to 100 games of one seed (section 4.4)',
      basis: 'ours',
      ...(more && {
        change: { 'evaluation.final.tasks': available === 'unbounded' ? 4 * (final.tasks as number) : 'all' },
      }),
    };
  },
};
