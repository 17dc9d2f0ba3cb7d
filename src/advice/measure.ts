import { finalEvaluation } from '../ablation/read-outcomes.js';
import { formatPath } from '../config/recipe-layer.js';
import type { Recipe } from '../config/recipe-schema.js';
import type { RunPlan } from '../config/run-plan.js';
import type { RewardBounds } from '../contracts/reward.js';
import { createRandom } from '../random/create-random.js';
import { evaluate } from '../evaluation/evaluate.js';
import type { HostSettings } from '../plugins/create-host.js';
import type { PluginHost } from '../plugins/open-plugin-host.js';
import { randomPlayer } from '../rollout/players.js';
import { allTasks } from '../rollout/task-order.js';
import type { Splits } from '../rollout/world-handle.js';
import { baselinePlayers } from '../experiments/baseline-players.js';
import { rewardBounds } from '../experiments/check-rewards.js';
import { evaluationRandom } from '../experiments/evaluation-random.js';
import { Instances } from '../experiments/instances.js';
import { playedEnvironment } from '../experiments/open-parts.js';
import type { OpenEnvironment } from '../experiments/open-environment.js';
import type { LoadedRun } from '../runs/load-run.js';
import { openPlayer } from '../experiments/open-player.js';
import { measureCollapse } from './measure-collapse.js';
import { measureImitationOf } from './measure-imitation-of.js';
import { measureRun } from './measure-run.js';
import type { Measured, PlayMeasure, PowerMeasure, RunMeasure } from './measured.js';
import { finalTasksOf, measurePower, type Played } from './measure-power.js';
import { hasExpert, imitatedExpert, measurePlans, measurePlay } from './play-tasks.js';
import type { TrainingTasks } from '../experiments/play-training-tasks.js';
import { callsOfTurn } from '../rollout/toolbox.js';
import { thresholds } from './thresholds.js';

/** Tasks of the validation split whose outcomes show how much tasks differ. */
const validationTasks = 500;
/** The largest group size in practice. */
const largestGroup = 64;
/** Larger splits are not compared id by id. */
const comparedTasks = 200_000;

export interface MeasureRequest {
  readonly planned: RunPlan;
  /** Absent if the subject is only a recipe. */
  readonly run?: LoadedRun | undefined;
  /** Number of training tasks to play; 0: nothing is played. */
  readonly tasks: number;
  /** Of the played episodes. */
  readonly seed: number;
  readonly host: PluginHost;
  readonly settings: HostSettings;
}

/**
 * Measures everything that rules need: plays training tasks, reads the run, and counts. The same seed gives the same
 * numbers.
 */
export async function measure(request: MeasureRequest): Promise<Measured> {
  const { planned, run, tasks, seed, host, settings } = request;
  const random = createRandom(seed).stream('advise');
  const instances = new Instances(host, { ...settings, random });
  const environment = await instances.environment(playedEnvironment(planned.recipe, planned.entries[0].environment));
  try {
    const { terms } = planned.lastRl?.entries[0].reward ?? planned.entries[0].reward;
    const reward = await instances.reward(terms);
    const stage: TrainingTasks = { plan: planned, environment, reward, tasks, random, signal: settings.signal };
    const told = run && measureRun(run);
    return {
      plan: tasks === 0 ? undefined : await measurePlans(stage),
      players: tasks === 0 ? {} : await measurePlayers(request, stage, told),
      rewards: boundsOf(planned, environment, reward),
      splits: await measureSplits(environment.world.splits, run),
      power: await measurePowerOf(request, stage),
      run: told,
      collapse: run && (await measureCollapse(run)),
      imitation: run && measureImitationOf(run),
      largerPreset: await presetAfter(planned.recipe.policy, host),
    };
  } finally {
    await environment.pool.dispose();
  }
}

async function presetAfter({ name, preset }: Recipe['policy'], host: PluginHost): Promise<string | undefined> {
  const { contribution } = await host.find('policy', name);
  const place = contribution.presets.findIndex((one) => one.name === preset);
  return place < 0 ? undefined : contribution.presets[place + 1]?.name;
}

async function measurePlayers(
  request: MeasureRequest,
  stage: TrainingTasks,
  told: RunMeasure | undefined,
): Promise<Measured['players']> {
  const { planned, run } = request;
  const groupSize = planned.lastRl?.update.groupSize ?? 1;
  // Twice the group size, to judge larger groups. At least eight, for a success rate without groups.
  const episodes = Math.max(groupSize, Math.min(largestGroup, Math.max(8, 2 * groupSize)));
  const play = (player: string, times: number) => measurePlay(stage, { kind: 'environment', player }, times);
  const players: Record<string, PlayMeasure | undefined> = { random: await play(randomPlayer, episodes) };
  const imitated = imitatedExpert(planned);
  for (const name of new Set(['oracle', ...(imitated === undefined ? [] : [imitated])])) {
    if (!hasExpert(stage.environment, name)) continue;
    players[name] = await play(name, name === imitated ? episodes : 1);
  }
  if (run?.checkpoint !== undefined && wantsPolicy(told)) {
    players['policy'] = await playPolicy(request, run, stage, episodes);
  }
  return players;
}

/** If the log shows that groups have signal, playing more groups is unnecessary. */
function wantsPolicy(told: RunMeasure | undefined): boolean {
  const flat = told?.late['rollout/groups_without_signal'];
  return flat === undefined || 1 - flat < thresholds.signal.value;
}

/** Plays the run's newest checkpoint with the sampling of its training. */
async function playPolicy(
  { planned, host, settings }: MeasureRequest,
  run: LoadedRun,
  stage: TrainingTasks,
  episodes: number,
): Promise<PlayMeasure | undefined> {
  const contestant = await openPlayer({
    policy: run.directory,
    options: {},
    temperature: planned.recipe.policy.sampling.temperature,
    host,
    settings: { ...settings, random: stage.random.stream('policy') },
    runsFolder: 'runs',
  });
  try {
    return await measurePlay(stage, contestant.actor, episodes);
  } finally {
    await contestant.dispose();
  }
}

/** Uses the policy's final outcomes if a run has them, otherwise a player on validation tasks. */
async function measurePowerOf(
  { planned: { recipe }, run, tasks }: MeasureRequest,
  stage: TrainingTasks,
): Promise<PowerMeasure | undefined> {
  const { world } = stage.environment;
  const finalTasks = await finalTasksOf(recipe, world.splits, evaluationRandom(recipe, stage.random).stream('final'));
  const told = world.sharesClusters ? [] : await world.about(finalTasks);
  const clusters = new Map(finalTasks.map((task, index) => [task, told[index]?.cluster ?? task]));
  const final = run && finalEvaluation(run, 'policy');
  const played = final
    ? { player: 'policy', split: recipe.evaluation.final.split, outcomes: final.outcomes }
    : tasks === 0
      ? undefined
      : await playValidation(stage, finalTasks.length);
  return played && measurePower(played, finalTasks, (task) => clusters.get(task) ?? task);
}

/**
 * Of the players without training, takes the one whose success is nearest to one half, because its outcomes vary most.
 */
async function playValidation(
  { plan, environment, reward, random, signal }: TrainingTasks,
  finalTasks: number,
): Promise<Played | undefined> {
  const plays = [];
  for (const actor of baselinePlayers(environment)) {
    const { summary, outcomes } = await evaluate(actor, {
      split: 'validation',
      tasks: Math.min(finalTasks, validationTasks),
      attempts: 1,
      environments: environment.pool,
      reward,
      horizon: plan.entries[0].evaluationHorizon,
      random: random.stream('validation'),
      rollout: { ...plan.rollout, retries: 0, maxFailedShare: 1 },
      signal,
    });
    plays.push({ player: actor.player, split: 'validation', outcomes, off: Math.abs(summary.success.rate - 0.5) });
  }
  return plays.sort((a, b) => a.off - b.off)[0];
}

function boundsOf(
  { entries: [{ sampling, tools }], lastRl, toolLimits }: RunPlan,
  environment: OpenEnvironment,
  reward: TrainingTasks['reward'],
): { readonly [key: string]: RewardBounds } {
  if (lastRl === undefined) return {};
  const setting = {
    reward,
    horizon: lastRl.longestHorizon,
    milestones: environment.facts.includes('milestones'),
    actionTokens: sampling.maxActionTokens,
    calls: tools.length > 0 || environment.world.tools.length > 0 ? callsOfTurn(toolLimits) : 0,
  };
  return { [formatPath(lastRl.entries[0].rewardPath)]: rewardBounds(setting, [1]) };
}

async function measureSplits(
  { train, validation, test }: Splits,
  run: LoadedRun | undefined,
): Promise<Measured['splits']> {
  const counts = { train: train.count, validation: validation.count, test: test.count };
  const proved = run?.manifest.splits?.overlap;
  if (proved) return { ...counts, shared: proved.trainAndValidation + proved.trainAndTest + proved.validationAndTest };
  const bounded = [train, validation, test].every(({ count }) => count !== 'unbounded' && count <= comparedTasks);
  if (!bounded) return counts;
  const ids = await Promise.all([train, validation, test].map(allTasks));
  const [first, second, third] = ids.map((tasks) => new Set(tasks));
  const common = (a = new Set<string>(), b = new Set<string>()) => [...a].filter((id) => b.has(id)).length;
  return { ...counts, shared: common(first, second) + common(first, third) + common(second, third) };
}
