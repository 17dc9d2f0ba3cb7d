import type { Algorithm, UpdateSettings } from '../contracts/algorithm.js';
import type { TrainingBatch } from '../contracts/batch.js';
import type { TaskSource } from '../contracts/environment.js';
import type { JsonObject } from '../contracts/json.js';
import type { ReferenceModel } from '../contracts/policy.js';
import type { Random } from '../contracts/random.js';
import type { CompletedEpisode, Episode, EpisodeKey } from '../contracts/trajectory.js';
import { groupRows } from '../credit/group-statistics.js';
import { lossInputs, lossOperations } from '../credit/loss-operations.js';
import type { ModelActor } from '../rollout/actor.js';
import { buildBatch, episodeRow } from '../rollout/build-batch.js';
import { collectEpisodes, type RolloutSettings } from '../rollout/collect-episodes.js';
import type { ComposedReward } from '../rollout/compose-reward.js';
import type { EnvironmentPool } from '../rollout/environment-pool.js';
import { refuseManyFailures } from '../rollout/failures.js';
import { selectRows } from '../rollout/select-rows.js';
import { type EpisodesSummary, summarizeEpisodes } from '../rollout/summarize-episodes.js';
import { taskOrder } from '../rollout/task-order.js';
import { affordableEpisodes, payForGroups, type StageBudget } from './budget.js';
import { fillRoles } from './fill-roles.js';
import { GradientSteps } from './gradient-steps.js';
import { type HorizonSchedule, type HorizonState, horizonTurns, initialHorizon, nextHorizon } from './horizon.js';
import { optimizerStep, runStage, type StageOptions, type StageResult } from './run-stage.js';

export interface ReinforcementOptions extends Omit<StageOptions, 'model'> {
  /** The model that is trained, and how it plays. */
  readonly actor: ModelActor;
  readonly algorithm: Algorithm;
  readonly update: UpdateSettings;
  /** The weights before the stage's first step, also after a resume; where the algorithm has the role. */
  readonly reference?: ReferenceModel;
  /** The training split, and nothing else. */
  readonly tasks: TaskSource;
  readonly tasksPerStep: number;
  readonly environments: EnvironmentPool;
  readonly reward: ComposedReward;
  readonly horizon: HorizonSchedule;
  readonly rollout: RolloutSettings;
  /** What the stage may spend; absent: anything. */
  readonly budget?: StageBudget;
  /** Episodes of a step that are kept on record, chosen by seed; failed ones always are. */
  readonly record: number;
}

/** What a step hands to the next. */
interface ReinforcementState extends JsonObject {
  readonly algorithm: JsonObject;
  readonly horizon: HorizonState;
  readonly badInRow: number;
  readonly episodes: number;
  readonly turns: number;
  /** Sampled so far. */
  readonly tokens: number;
  /** Units of the budget. */
  readonly spent: number;
}

/** Steps that the budget can pay for at least in part, where that is known beforehand; the learning rate is planned over them. */
export function plannedSteps({ steps, budget, tasksPerStep, update }: ReinforcementOptions): number {
  if (budget === undefined || budget.costs.turn || budget.costs.token) return steps;
  const groups = Math.floor(affordableEpisodes(budget, 0) / update.groupSize);
  return Math.min(steps, Math.ceil(groups / tasksPerStep));
}

/** Multi-turn reinforcement learning: sample with the weights as they are, learn from it, repeat. */
export function trainReinforcement(options: ReinforcementOptions): Promise<StageResult> {
  const { actor, algorithm, budget, environments, horizon, optimizer, random, reference, reward, rollout } = options;
  const { model } = actor;
  const { groupSize, epochs, minibatches } = options.update;
  const steps = plannedSteps(options);
  const taskAt = taskOrder(options.tasks, random.stream('tasks'));
  const loss = algorithm.loss(lossOperations, lossInputs);

  async function step(step: number, state: ReinforcementState) {
    // Tasks, each for a whole group, and no more than can be paid for.
    const affordable = budget === undefined ? Infinity : affordableEpisodes(budget, state.spent);
    const taskCount = Math.min(options.tasksPerStep, Math.floor(affordable / groupSize));
    const tasks = Array.from({ length: taskCount }, (_, index) => taskAt((step - 1) * options.tasksPerStep + index));

    // Episodes, by the weights as they are.
    const turns = horizonTurns(horizon, state.horizon, step);
    const collectStart = performance.now();
    const episodes = await collectEpisodes(episodeKeys(step, tasks, groupSize), {
      actor,
      environments,
      reward,
      horizon: turns,
      random: random.stream('episodes'),
      rollout,
      signal: options.signal,
    });
    refuseManyFailures(episodes, rollout.maxFailedShare);
    const updateStart = performance.now();

    // Groups: paid for, then those that the algorithm can learn from.
    const played = completedGroups(episodes);
    const { groups, spent, overdrawn } =
      budget === undefined ? { groups: played, spent: 0, overdrawn: false } : payForGroups(budget, state.spent, played);
    const selection = algorithm.select?.(groups) ?? groups.map(() => true);
    const selected = groups.filter((_, index) => selection[index]);

    // Credit: one batch, its references and values, its advantages.
    const rows = selected.flat().map(episodeRow);
    const trainable = rows.some(({ turns }) => turns.length > 0);
    const updates = new GradientSteps(model, loss, optimizerStep(optimizer, step, steps), state.badInRow);
    let algorithmState = state.algorithm;
    let algorithmMetrics: { readonly [name: string]: number } = {};
    if (trainable) {
      const batch = await fillRoles(buildBatch(rows, actor.sampling.temperature), algorithm, model, reference);
      const { advantages, returns, state: next, metrics } = algorithm.advantages(batch, algorithmState);
      algorithmState = next;
      algorithmMetrics = metrics ?? {};
      const credited = { ...batch, advantages, ...(returns && { returns }) };

      // Optimizer steps: every epoch deals the rows anew.
      for (let epoch = 0; epoch < epochs; epoch += 1) {
        for (const part of dealRows(credited, minibatches, random.stream('minibatches', step, epoch))) {
          const minibatch = selectRows(credited, part);
          await updates.take({ ...minibatch, weight: algorithm.weights(minibatch) });
        }
      }
    }

    // What it came to.
    const end = performance.now();
    const summary = summarizeEpisodes(episodes);
    const next: ReinforcementState = {
      algorithm: algorithmState,
      horizon: nextHorizon(horizon, state.horizon, {
        success: summary.success,
        truncated: summary.truncatedBy.horizon,
      }),
      badInRow: updates.badInRow,
      episodes: state.episodes + summary.completed,
      turns: state.turns + summary.turns,
      tokens: state.tokens + summary.tokens,
      spent,
    };
    const left = budget === undefined ? Infinity : affordableEpisodes(budget, spent);
    return {
      state: next,
      metrics: {
        ...updates.metrics(),
        ...updates.samplerMetrics(),
        ...prefixed('train', algorithmMetrics),
        'train/groups': selected.length,
        'train/without_batch': Number(!trainable),
        ...rolloutMetrics(summary, turns),
        'rollout/groups_without_signal': played.filter(isWithoutSignal).length / Math.max(1, played.length),
        'cost/episodes': next.episodes,
        'cost/turns': next.turns,
        'cost/tokens': next.tokens,
        ...(budget !== undefined && { 'cost/units': spent }),
        'time/collect_seconds': (updateStart - collectStart) / 1000,
        'time/update_seconds': (end - updateStart) / 1000,
        'time/tokens_per_second': summary.tokens / ((updateStart - collectStart) / 1000),
      },
      episodes: recorded(episodes, options.record, random.stream('record', step)),
      ended: overdrawn || left < groupSize,
      ...(updates.error && { error: updates.error }),
    };
  }

  return runStage<ReinforcementState>(
    { ...options, model, steps },
    {
      kind: 'rl',
      initialState: {
        algorithm: algorithm.initialState,
        horizon: initialHorizon,
        badInRow: 0,
        episodes: 0,
        turns: 0,
        tokens: 0,
        spent: 0,
      },
      keepStart: algorithm.roles.includes('reference'),
      step,
    },
  );
}

/** The episodes of a step: every member of every group. */
function episodeKeys(iteration: number, tasks: readonly string[], groupSize: number): EpisodeKey[] {
  return tasks.flatMap((task, group) =>
    Array.from({ length: groupSize }, (_, member) => ({ iteration, task, group, member })),
  );
}

/** Completed episodes by group; a group that failed altogether is none. */
function completedGroups(episodes: readonly Episode[]): CompletedEpisode[][] {
  const groups = new Map<number, CompletedEpisode[]>();
  for (const episode of episodes) {
    if (episode.status !== 'completed') continue;
    const group = groups.get(episode.group) ?? [];
    group.push(episode);
    groups.set(episode.group, group);
  }
  return [...groups.values()];
}

/** All returns of the group are the same, so that no member is better than another. */
function isWithoutSignal(group: readonly CompletedEpisode[]): boolean {
  return group.every((episode) => Math.abs(episode.return - (group[0]?.return ?? 0)) < 1e-12);
}

/**
 * Rows of each minibatch: whole groups in random order, dealt as evenly as they go; single rows, where there are more minibatches than
 * groups. Never more minibatches than rows.
 */
function dealRows(batch: TrainingBatch, minibatches: number, random: Random): number[][] {
  const groups = groupRows(batch);
  const units = random.shuffle(groups.length < minibatches ? groups.flat().map((row) => [row]) : groups);
  const count = Math.min(minibatches, units.length);
  return Array.from({ length: count }, (_, index) => {
    const from = Math.round((index * units.length) / count);
    const to = Math.round(((index + 1) * units.length) / count);
    return units.slice(from, to).flat();
  });
}

/** Episodes to keep: some of the completed ones by seed, and every failed one, in order. */
function recorded(episodes: readonly Episode[], count: number, random: Random): Episode[] {
  const completed = episodes.filter(({ status }) => status === 'completed');
  const chosen = new Set(random.shuffle(completed).slice(0, count));
  return episodes.filter((episode) => episode.status === 'failed' || chosen.has(episode));
}

function rolloutMetrics(summary: EpisodesSummary, horizon: number): Record<string, number> {
  const episodes = summary.completed + summary.failed;
  return {
    'rollout/success': summary.success,
    'rollout/return_mean': summary.returnMean,
    ...prefixed('rollout/reward', summary.components),
    'rollout/turns_mean': summary.turnsMean,
    'rollout/horizon': horizon,
    'rollout/truncated': summary.truncated,
    ...prefixed('rollout/truncated_by', summary.truncatedBy),
    'rollout/invalid': summary.invalid,
    'rollout/cut': summary.cut,
    'rollout/failed': summary.failed / Math.max(1, episodes),
    'rollout/retries': summary.retries,
    'rollout/episodes': summary.completed,
    'rollout/tokens': summary.tokens,
  };
}

function prefixed(prefix: string, numbers: { readonly [name: string]: number }): Record<string, number> {
  return Object.fromEntries(Object.entries(numbers).map(([name, number]) => [`${prefix}/${name}`, number]));
}
