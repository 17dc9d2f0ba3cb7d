// Whether supervised fine-tuning taught the skill of its expert, and if not, the cause: too few games, too few steps,
// or too small a model.
import type { SftStagePlan } from '../../config/run-plan.js';
import type { Json } from '../../contracts/json.js';
import { fine, onlyARun, percent, points, pointsInterval, unknown, type AdviceRule, type Subject } from '../advice.js';
import type { ImitationMeasure } from '../measured.js';
import { thresholds } from '../thresholds.js';
import { sftStage } from './supervised.js';

export const imitation: AdviceRule = {
  id: 'imitation',
  judge(subject) {
    const { planned, measured } = subject;
    const stage = sftStage(planned);
    if (stage === undefined) return undefined;
    const found = measured.imitation;
    if (found?.success === undefined)
      return unknown(found === undefined ? onlyARun : 'the run has no final evaluation of the imitating policy');
    const gap = shortfall(found);
    if (gap === undefined) return fine(praise(found));
    if (isClosed(found)) return fine(`reinforcement learning closed the gap that supervised fine-tuning left: ${gap}`);
    const cause = causeOf(found);
    return {
      verdict: 'finding',
      severity: 'problem',
      finding: `Supervised fine-tuning leaves the policy ${gap}: ${causeWords[cause]}`,
      evidence: evidenceOf(found),
      source: 'ours, recipes/quickstart: reinforcement learning starts from the imitating policy',
      basis: 'ours',
      ...(cause !== 'tasks' && { change: cureOf(cause, stage, found, subject) }),
    };
  },
};

/** Whether the policy after reinforcement learning is no longer below the same players. */
function isClosed({ trained = {}, overExpert, ...found }: ImitationMeasure): boolean {
  if ((overExpert === undefined ? trained.overRandom : trained.overExpert) === undefined) return false;
  const { overRandom: _, ...rest } = found;
  return shortfall({ ...rest, ...trained }) === undefined;
}

/** The cause that prevents imitation. */
type Cause = 'data' | 'tasks' | 'steps' | 'model';

const causeWords: Record<Cause, string> = {
  data: 'it memorises its games, so it needs more games.',
  tasks: 'it memorises its tasks, so the environment needs more tasks; more games of the same tasks do not help.',
  steps: 'it still learns from its training games, so it needs more steps.',
  model: 'after many steps it has learnt neither its training games nor others, so the model is too small.',
};

/** How far the policy is below the players that it should exceed; undefined if it is not below. */
function shortfall({ expert, overExpert, overRandom }: ImitationMeasure): string | undefined {
  const random = overRandom?.difference;
  const over = overExpert?.difference;
  const isFar = over !== undefined && over.mean < -thresholds.imitation.value && over.high !== null && over.high < 0;
  const below = isFar ? `${points(over.mean).slice(1)} below the imitated ${expert}` : undefined;
  if (random !== undefined && random.high !== null && random.high < 0) {
    const chance = `${points(random.mean).slice(1)} below random play`;
    return below === undefined ? chance : `${below}, and ${chance}`;
  }
  return below;
}

function causeOf({ loss, heldOut, steps, demonstrations, tasks = demonstrations }: ImitationMeasure): Cause {
  if (heldOut !== undefined) {
    const forgot = heldOut.last > heldOut.least * (1 + thresholds.heldOutRise.value);
    if (forgot || loss < heldOut.last * (1 - thresholds.heldOutGap.value)) {
      return demonstrations > thresholds.gamesPerTask.value * tasks ? 'tasks' : 'data';
    }
  }
  const isLearning = heldOut !== undefined && heldOut.fall > thresholds.heldOutFall.value;
  return steps < thresholds.supervisedSteps.value || isLearning ? 'steps' : 'model';
}

function evidenceOf({ success, overExpert, overRandom, expert, ...found }: ImitationMeasure): string {
  const { steps, demonstrations, tasks, epochs, loss, heldOut, agreement, temperature } = found;
  const against = (name: string, gain: ImitationMeasure['overRandom']) =>
    gain === undefined ? [] : [`${points(gain.difference.mean)} (${pointsInterval(gain.difference)}) to ${name}`];
  return [
    `${percent(success ?? 0)} of ${(overExpert ?? overRandom)?.tasks ?? 0} held-out tasks at temperature ${temperature ?? 0}`,
    ...against(`the ${expert}`, overExpert),
    ...against('random play', overRandom),
    `${steps} steps, ${demonstrations} games${tasks === undefined ? '' : ` of ${tasks} tasks`} seen ${epochs.toFixed(1)} times`,
    `loss ${loss.toFixed(2)} on them` +
      (heldOut === undefined
        ? ', held out not measured (`evaluation.every` is 0)'
        : `, ${heldOut.last.toFixed(2)} on held-out games (${heldOut.least.toFixed(2)} at best, ${heldOut.fall < 0 ? 'risen' : 'fallen'} by ${percent(Math.abs(heldOut.fall))} over the last quarter)`),
    ...(agreement === undefined ? [] : [`the same action as the expert at ${percent(agreement)} of held-out turns`]),
  ].join('; ');
}

function praise({ success, overExpert, expert }: ImitationMeasure): string {
  const against = overExpert === undefined ? '' : `, ${points(overExpert.difference.mean)} to the imitated ${expert}`;
  return `supervised fine-tuning reaches ${percent(success ?? 0)}${against}`;
}

/** How often a model trained from scratch may see each game before it memorises it. */
const mostEpochs = 5;

function cureOf(
  cause: Exclude<Cause, 'tasks'>,
  stage: SftStagePlan,
  { steps, demonstrations }: ImitationMeasure,
  { measured: { largerPreset } }: Subject,
): Record<string, Json> {
  const at = (key: string) => `stages.${stage.name}.${key}`;
  const limit = thresholds.supervisedSteps.value;
  /** A stage with this many steps, and with enough games that none is seen too often. */
  const longer = (more: number, games = demonstrations): Record<string, Json> => {
    const count = Math.max(games, Math.ceil((more * stage.batchSize) / mostEpochs));
    const isFile = stage.demonstrations[0].file !== undefined;
    return {
      ...(more > steps && { [at('steps')]: more }),
      ...(!isFile && count > demonstrations && { [at('demonstrations.count')]: count }),
    };
  };
  switch (cause) {
    case 'data':
      return longer(Math.max(steps, limit), 8 * demonstrations);
    case 'steps':
      return longer(steps < limit ? Math.max(10 * steps, limit) : 4 * steps);
    case 'model':
      return { ...(largerPreset !== undefined && { 'policy.preset': largerPreset }), [at('steps')]: 2 * steps };
  }
}
