import type { Algorithm, UpdateSettings } from '../contracts/algorithm.js';
import type { JsonObject } from '../contracts/json.js';
import type { PolicyModel, ReferenceModel } from '../contracts/policy.js';
import type { CompletedEpisode } from '../contracts/trajectory.js';
import type { ModelActor } from '../rollout/actor.js';
import type { CollectionTimes, RolloutSettings } from '../rollout/collect-episodes.js';
import type { ComposedReward } from '../rollout/compose-reward.js';
import type { EnvironmentPool } from '../rollout/environment-pool.js';
import { type EpisodesSummary, summarizeEpisodes } from '../rollout/summarize-episodes.js';
import type { StageBudget } from './budget.js';
import { affordableGroups, collectGroups } from './collect-groups.js';
import { collectionTimes } from './collection-times.js';
import { creditBatch } from './credit-batch.js';
import { drawTasks, type TaskSupply, updateCurriculum } from './draw-tasks.js';
import { type HorizonSchedule, type HorizonState, horizonTurns, initialHorizon, nextHorizon } from './horizon.js';
import { meanwhile } from './meanwhile.js';
import { runStage, type StageOptions, type StageResult } from './run-stage.js';
import { recordEpisodes, withGroupReturns } from './record-episodes.js';
import { recordCredit } from './record-credit.js';
import { algorithmLosses, updateModels } from './update-models.js';

export interface ReinforcementOptions extends Omit<StageOptions, 'model'> {
  /** The trained model, and how it plays. */
  readonly actor: ModelActor;
  readonly algorithm: Algorithm;
  readonly update: UpdateSettings;
  /** The weights before the stage's first step, also after a resume. Present if the algorithm has the role. */
  readonly reference?: ReferenceModel;
  /** The second model, if the algorithm's critic has its own trunk. It is saved and loaded with the policy. */
  readonly critic?: PolicyModel;
  /** What hands out training tasks. */
  readonly supply: TaskSupply;
  readonly tasksPerStep: number;
  readonly environments: EnvironmentPool;
  readonly reward: ComposedReward;
  readonly horizon: HorizonSchedule;
  readonly rollout: RolloutSettings;
  /** The budget of the stage. Absent: unlimited. */
  readonly budget?: StageBudget;
  /** Number of episodes to record in a step, chosen by seed. Failed ones are always recorded. */
  readonly record: number;
}

/** The state that a step passes to the next. */
interface ReinforcementState extends JsonObject {
  readonly algorithm: JsonObject;
  readonly horizon: HorizonState;
  readonly badInRow: { readonly policy: number; readonly critic: number };
  /** The state of what hands out tasks. */
  readonly curriculum: JsonObject;
  /** Number of places whose tasks were handed out. */
  readonly tasks: number;
  /** Spent units of the stage's budget. */
  readonly spent: number;
}

/**
 * Number of steps that the budget can pay for at least in part, if this is known in advance. The learning rate is
 * planned over them.
 */
export function plannedSteps(options: ReinforcementOptions): number {
  const { steps, budget, tasksPerStep } = options;
  if (budget === undefined) return steps;
  const groups = affordableGroups(budget, 0, options);
  if (groups > 0 && (budget.costs.turn || budget.costs.token)) return steps;
  return Math.min(steps, Math.ceil(groups / tasksPerStep));
}

/** Multi-turn reinforcement learning: sample with the current weights, learn from the episodes, repeat. */
export function trainReinforcement(options: ReinforcementOptions): Promise<StageResult> {
  const { actor, algorithm, budget, critic, environments, horizon, random, reference, reward, rollout } = options;
  const { model, sampling } = actor;
  const { supply, update, tasksPerStep } = options;
  const steps = plannedSteps(options);
  const losses = algorithmLosses(algorithm);

  async function step(step: number, state: ReinforcementState) {
    // Collect episodes with the current weights.
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
          states: algorithm.roles.includes('states'),
          signal: options.signal,
          took: (times) => collections.push(times),
        },
        algorithm,
        update,
        tasksPerStep,
        tasksAt: drawTasks(supply, state.curriculum),
        ...(budget && { budget }),
      },
      { iteration: step, tasks: state.tasks, spent: state.spent },
    );
    const { episodes, played, units, spent } = collected;
    const updateStart = performance.now();

    // Assign credit: one batch with its references, values and advantages.
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

    // Make the optimizer steps. This thread sums the episodes up while the models learn.
    const [updates, { summary, greedy, recorded }] = await meanwhile(
      updateModels(credited?.batch, losses(step), step, state.badInRow, {
        algorithm,
        update,
        model,
        ...(critic && { critic }),
        optimizer: options.optimizer,
        steps,
        random: random.stream('minibatches', step),
      }),
      () => {
        const chosen = recordEpisodes(episodes, options.record, random.stream('record', step));
        const shown = recordCredit(chosen, model.encoder, { rows, ...(credited && { batch: credited.batch }) });
        return {
          summary: summarizeEpisodes(episodes),
          greedy: summarizeEpisodes([...collected.greedy.values()]),
          recorded: withGroupReturns(shown, episodes),
        };
      },
    );
    const end = performance.now();

    const next: ReinforcementState = {
      algorithm: credited?.state ?? state.algorithm,
      horizon: nextHorizon(horizon, state.horizon, {
        success: summary.success,
        truncated: summary.truncatedBy.horizon,
      }),
      badInRow: { policy: updates.policy.badInRow, critic: updates.critic.badInRow },
      curriculum: await updateCurriculum(supply, state.curriculum, collected.outcomes),
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
        ...prefixed('curriculum', supply.curriculum.metrics?.(next.curriculum) ?? {}),
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
      episodes: recorded,
      // Failed attempts are not paid for, so units can be left after the planned steps.
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
        curriculum: supply.curriculum.initialState,
        tasks: 0,
        spent: 0,
      },
      keepStart: algorithm.roles.includes('reference'),
      ...(critic && { beside: critic }),
      step,
    },
  );
}

/** Whether all returns of the group are the same, so that no member is better than another. */
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
    // Without rewards, this ratio does not exist.
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
    // A sum over concurrent calls, so it can exceed the time of the collection.
    'time/tool_seconds': milliseconds / 1000,
  };
}

function prefixed(prefix: string, numbers: { readonly [name: string]: number }): Record<string, number> {
  return Object.fromEntries(Object.entries(numbers).map(([name, number]) => [`${prefix}/${name}`, number]));
}
