import type { Algorithm, UpdateSettings } from '../contracts/algorithm.js';
import type { JsonObject } from '../contracts/json.js';
import type { PolicyModel, ReferenceModel } from '../contracts/policy.js';
import type { CompletedEpisode } from '../contracts/trajectory.js';
import type { ModelActor } from '../rollout/actor.js';
import type { CollectionTimes, RolloutSettings } from '../rollout/collect-episodes.js';
import type { ComposedReward } from '../rollout/compose-reward.js';
import type { EnvironmentPool } from '../rollout/environment-pool.js';
import { type EpisodesSummary, summarizeEpisodes } from '../rollout/summarize-episodes.js';
import { taskOrder } from '../rollout/task-order.js';
import type { TaskList } from '../rollout/world-handle.js';
import type { StageBudget } from './budget.js';
import { affordableGroups, collectGroups } from './collect-groups.js';
import { collectionTimes } from './collection-times.js';
import { creditBatch } from './credit-batch.js';
import { type HorizonSchedule, type HorizonState, horizonTurns, initialHorizon, nextHorizon } from './horizon.js';
import { runStage, type StageOptions, type StageResult } from './run-stage.js';
import { recordEpisodes, withGroupReturns } from './record-episodes.js';
import { recordCredit } from './record-credit.js';
import { algorithmLosses, updateModels } from './update-models.js';

export interface ReinforcementOptions extends Omit<StageOptions, 'model'> {
  /** The model that is trained, and how it plays. */
  readonly actor: ModelActor;
  readonly algorithm: Algorithm;
  readonly update: UpdateSettings;
  /** The weights before the stage's first step, also after a resume; where the algorithm has the role. */
  readonly reference?: ReferenceModel;
  /** The second model, where the algorithm's critic has a trunk of its own; saved and loaded with the policy. */
  readonly critic?: PolicyModel;
  /** The training split, and nothing else. */
  readonly tasks: TaskList;
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
  readonly badInRow: { readonly policy: number; readonly critic: number };
  /** Places of the order of tasks that are used up. */
  readonly tasks: number;
  /** Units of the stage's budget. */
  readonly spent: number;
}

/**
 * Steps that the budget can pay for at least in part, where that is known beforehand; the learning rate is planned over
 * them.
 */
export function plannedSteps(options: ReinforcementOptions): number {
  const { steps, budget, tasksPerStep } = options;
  if (budget === undefined) return steps;
  const groups = affordableGroups(budget, 0, options);
  if (groups > 0 && (budget.costs.turn || budget.costs.token)) return steps;
  return Math.min(steps, Math.ceil(groups / tasksPerStep));
}

/** Multi-turn reinforcement learning: sample with the weights as they are, learn from it, repeat. */
export function trainReinforcement(options: ReinforcementOptions): Promise<StageResult> {
  const { actor, algorithm, budget, critic, environments, horizon, random, reference, reward, rollout } = options;
  const { model, sampling } = actor;
  const { update, tasksPerStep } = options;
  const steps = plannedSteps(options);
  const tasksAt = taskOrder(options.tasks, random.stream('tasks'));
  const losses = algorithmLosses(algorithm);

  async function step(step: number, state: ReinforcementState) {
    // Episodes, by the weights as they are.
    const turns = horizonTurns(horizon, state.horizon, step);
    const collectStart = performance.now();
    const toolStart = actor.tools?.milliseconds ?? 0;
    const callsBefore = environments.world.times();
    const collections: CollectionTimes[] = [];
    const collected = await collectGroups(
      {
        collect: {
          actor,
          environments,
          reward,
          horizon: turns,
          random: random.stream('episodes'),
          rollout,
          signal: options.signal,
          took: (times) => collections.push(times),
        },
        algorithm,
        update,
        tasksPerStep,
        tasksAt,
        ...(budget && { budget }),
      },
      { iteration: step, tasks: state.tasks, spent: state.spent },
    );
    const { episodes, played, units, spent } = collected;
    const updateStart = performance.now();

    // Credit: one batch, its references and values, its advantages.
    const rows = units.flat();
    const models = {
      ...(reference && { reference }),
      ...(algorithm.critic && { critic: critic ?? model }),
    };
    const credited = rows.some((episode) => episode.turns.length > 0)
      ? await creditBatch(rows, collected.greedy, state.algorithm, {
          algorithm,
          update,
          model,
          models,
          temperature: sampling.temperature,
        })
      : undefined;

    // Optimizer steps.
    const updates = await updateModels(credited?.batch, losses(step), step, state.badInRow, {
      algorithm,
      update,
      model,
      ...(critic && { critic }),
      optimizer: options.optimizer,
      steps,
      random: random.stream('minibatches', step),
    });

    // What it came to.
    const end = performance.now();
    const summary = summarizeEpisodes(episodes);
    const greedy = summarizeEpisodes([...collected.greedy.values()]);
    const next: ReinforcementState = {
      algorithm: credited?.state ?? state.algorithm,
      horizon: nextHorizon(horizon, state.horizon, {
        success: summary.success,
        truncated: summary.truncatedBy.horizon,
      }),
      badInRow: { policy: updates.policy.badInRow, critic: updates.critic.badInRow },
      tasks: collected.tasks,
      spent,
    };
    const error = updates.policy.error ?? updates.critic.error;
    if (budget && step >= options.steps && !collected.exhausted) {
      const message = `${options.stage}: its ${step} steps leave ${budget.units - spent} of its ${budget.units} units unspent.`;
      options.journal.event({ type: 'warning', message });
    }
    return {
      state: next,
      metrics: {
        ...updates.policy.metrics(),
        ...updates.policy.samplerMetrics(),
        ...updates.critic.criticMetrics(),
        ...prefixed('train', credited?.metrics ?? {}),
        'train/groups': collected.groups,
        'train/without_batch': Number(credited === undefined),
        ...rolloutMetrics(summary, turns),
        ...(actor.tools && toolMetrics(summary, actor.tools.milliseconds - toolStart)),
        'rollout/groups_without_signal': played.filter(isWithoutSignal).length / Math.max(1, played.length),
        ...(algorithm.refillRounds && { 'rollout/refills': collected.refills }),
        ...(greedy.completed > 0 && { 'rollout/greedy_return_mean': greedy.returnMean }),
        'time/collect_seconds': (updateStart - collectStart) / 1000,
        'time/update_seconds': (end - updateStart) / 1000,
        ...collectionTimes(collections, callsBefore, environments.world.times()),
        'time/tokens_per_second': summary.tokens / ((updateStart - collectStart) / 1000),
      },
      costs: {
        tasks: played.flatMap((group) => group[0]?.task ?? []),
        episodes: summary.completed + greedy.completed,
        turns: summary.turns + greedy.turns,
        tokens: summary.tokens + greedy.tokens,
        trainedTokens: updates.policy.tokens,
        optimizerSteps: updates.policy.taken,
        units: spent - state.spent,
      },
      episodes: withGroupReturns(
        recordCredit(recordEpisodes(episodes, options.record, random.stream('record', step)), model.encoder, {
          rows,
          ...(credited && { batch: credited.batch }),
        }),
        episodes,
      ),
      // Attempts that broke are not paid for: then there are units left when the planned steps are over.
      ...(budget && { ended: collected.exhausted || step >= options.steps }),
      ...(error && { error }),
    };
  }

  return runStage<ReinforcementState>(
    { ...options, model, steps },
    {
      kind: 'rl',
      initialState: {
        algorithm: algorithm.initialState,
        horizon: initialHorizon,
        badInRow: { policy: 0, critic: 0 },
        tasks: 0,
        spent: 0,
      },
      keepStart: algorithm.roles.includes('reference'),
      ...(critic && { beside: critic }),
      step,
    },
  );
}

/** All returns of the group are the same, so that no member is better than another. */
function isWithoutSignal(group: readonly CompletedEpisode[]): boolean {
  return group.every((episode) => Math.abs(episode.return - (group[0]?.return ?? 0)) < 1e-12);
}

function rolloutMetrics(summary: EpisodesSummary, horizon: number): Record<string, number> {
  const { rewardsPerTurn, stepsPerReward } = summary.density;
  const episodes = summary.completed + summary.failed;
  return {
    'rollout/success': summary.success,
    'rollout/return_mean': summary.returnMean,
    ...prefixed('rollout/reward', summary.components),
    'rollout/rewards_per_turn': rewardsPerTurn,
    // Without rewards there is no such number.
    ...(stepsPerReward !== null && { 'rollout/steps_per_reward': stepsPerReward }),
    'rollout/turns_mean': summary.turnsMean,
    'rollout/horizon': horizon,
    'rollout/truncated': summary.truncated,
    ...prefixed('rollout/truncated_by', summary.truncatedBy),
    'rollout/invalid': summary.invalid,
    'rollout/cut': summary.cut,
    'rollout/observations_cut': summary.observationsCut,
    'rollout/failed': summary.failed / Math.max(1, episodes),
    'rollout/retries': summary.retries,
    'rollout/episodes': summary.completed,
    'rollout/tokens': summary.tokens,
  };
}

function toolMetrics({ toolCalls }: EpisodesSummary, milliseconds: number): Record<string, number> {
  return {
    'rollout/tool_calls': toolCalls.mean,
    'rollout/tool_calls_failed': toolCalls.failed,
    // Of calls that ran side by side: it may be more than the collection took.
    'time/tool_seconds': milliseconds / 1000,
  };
}

function prefixed(prefix: string, numbers: { readonly [name: string]: number }): Record<string, number> {
  return Object.fromEntries(Object.entries(numbers).map(([name, number]) => [`${prefix}/${name}`, number]));
}
