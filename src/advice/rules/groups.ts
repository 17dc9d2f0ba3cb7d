import { formatPath } from '../../config/recipe-layer.js';
import { settingPath, type RunPlan } from '../../config/run-plan.js';
import type { Json } from '../../contracts/json.js';
import { fine, percent, unknown, type AdviceRule, type Judgement, type Subject } from '../advice.js';
import type { PlayMeasure } from '../measured.js';
import { imitatedExpert } from '../play-tasks.js';
import { thresholds } from '../thresholds.js';
import { startsTaught } from './reward.js';
import { overLate } from './run-rule.js';

const source = 'recipes/textcraft; the Guide, section 5 item 11 (groups of 4 or more)';
const limit = thresholds.signal.value;

/**
 * Whether most groups have different returns. For a task with success probability p, this share is 1 - p^G - (1-p)^G;
 * it is measured directly on the returns.
 */
export const groupsWithSignal: AdviceRule = {
  id: 'groups-with-signal',
  explainedBy: ['imitation'],
  judge(subject) {
    if (groupSizeOf(subject.planned) < 2) return undefined;
    return subject.kind === 'run' ? judgeRun(subject) : judgeRecipe(subject);
  },
};

function judgeRun({ planned, measured: { run, players } }: Subject): Judgement {
  const groupSize = groupSizeOf(planned);
  const policy = players['policy'];
  const flat = run?.late['rollout/groups_without_signal'];
  const played = policy?.groupsWithSignal[groupSize];
  const share = flat === undefined ? played : 1 - flat;
  if (share === undefined)
    return unknown('the run did not log `rollout/groups_without_signal`, and its policy played no tasks');
  const evidence = [
    ...(run === undefined || flat === undefined
      ? []
      : [`rollout/groups_without_signal ${percent(flat)} ${overLate(run)}`]),
    ...(policy === undefined ? [] : [`its policy on ${policy.tasks} training tasks: ${sizes(policy)}`]),
  ].join('; ');
  if (share >= limit) return fine(`${percent(share)} of late groups of ${groupSize} have signal`);
  return finding(
    planned,
    share,
    run?.late['rollout/success'] ?? policy?.success ?? 0,
    evidence,
    policy,
    'late in training',
  );
}

function judgeRecipe({ planned, measured: { players } }: Subject): Judgement {
  const groupSize = groupSizeOf(planned);
  const random = players['random'];
  const ofRandom = random?.groupsWithSignal[groupSize];
  if (random === undefined || ofRandom === undefined) return unknown('no player played');
  const seen = `random play of ${random.tasks} training tasks: ${percent(random.success)} solved, ${sizes(random)}`;
  if (!startsTaught(planned)) {
    if (ofRandom >= limit)
      return fine(`${percent(ofRandom)} of groups of ${groupSize} have signal before training (${seen})`);
    return finding(planned, ofRandom, random.success, seen, random, 'before training');
  }
  const name = imitatedExpert(planned);
  const expert = name === undefined ? undefined : players[name];
  const ofExpert = expert?.groupsWithSignal[groupSize];
  if (expert === undefined || ofExpert === undefined) return unknown('the starting policy is unknown before a run');
  const shares = `${percent(ofRandom)} of groups of ${groupSize} have signal in random play, ${percent(ofExpert)} in the ${name}'s`;
  if (Math.min(ofRandom, ofExpert) >= limit)
    return fine(`${shares} (${percent(random.success)} and ${percent(expert.success)} solved)`);
  return unknown(`${shares}; only a run shows where the fine-tuned policy lies between them`);
}

function finding(
  planned: RunPlan,
  share: number,
  success: number,
  evidence: string,
  played: PlayMeasure | undefined,
  when: string,
): Judgement {
  const many = success > 0.5;
  return {
    verdict: 'finding',
    severity: share < thresholds.severeSignal.value ? 'problem' : 'advice',
    finding:
      `${percent(1 - share)} of groups of ${groupSizeOf(planned)} give no signal, because all their returns are equal: ` +
      `${many ? 'most tasks are always solved, so use harder ones' : 'most tasks fail every time'} (${percent(success)} of episodes are solved ${when}).`,
    evidence,
    source,
    basis: 'both',
    change: larger(planned, played),
    trial: many ? { axis: 'complexity' } : { axis: 'sparsity' },
  };
}

/** The smallest measured group size at which enough groups have signal, with the same number of episodes per step. */
function larger(planned: RunPlan, played: PlayMeasure | undefined): { readonly [key: string]: Json } | undefined {
  const { lastRl: rl } = planned;
  const own = groupSizeOf(planned);
  const found = Object.entries(played?.groupsWithSignal ?? {}).find(
    ([size, share]) => Number(size) > own && share >= limit,
  );
  if (rl === undefined || found === undefined) return undefined;
  const size = Number(found[0]);
  return {
    [formatPath(settingPath(rl, ['algorithm', 'groupSize']))]: size,
    [`stages.${rl.name}.tasksPerStep`]: Math.max(1, Math.round((rl.tasksPerStep * own) / size)),
  };
}

function groupSizeOf({ lastRl }: RunPlan): number {
  return lastRl?.update.groupSize ?? 1;
}

/** "groups with signal: 40 % of 8, 55 % of 16". */
function sizes({ groupsWithSignal: shares }: PlayMeasure): string {
  const told = Object.entries(shares).filter(([size]) => Number(size) >= 4);
  return `groups with signal: ${told.map(([size, share]) => `${percent(share)} of ${size}`).join(', ')}`;
}
