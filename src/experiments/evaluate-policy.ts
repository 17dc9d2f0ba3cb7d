import type { SplitName } from '../contracts/environment.js';
import type { EvaluationSummary } from '../contracts/evaluation.js';
import type { JsonObject } from '../contracts/json.js';
import { type EvaluateOptions, evaluate } from '../evaluation/evaluate.js';
import { baselinePlayers, type BaselineName } from './baseline-players.js';
import { peakMemory } from '../processes/peak-memory.js';
import { type Actor, isTextPlayer } from '../rollout/actor.js';
import { type OpenPlayerRequest, defaultRollout, openPlayer } from './open-player.js';
import type { Baselines } from '../runs/run-result.js';

export interface EvaluatePolicyRequest extends OpenPlayerRequest {
  readonly policy: string;
  /** Absent: the split of the run's final evaluation, or the test split without a run. */
  readonly split?: SplitName;
  /** Number of tasks, at most all of the split. Absent: as in the run's final evaluation, or 500. */
  readonly tasks?: number;
  readonly episodesPerTask: number;
}

/** What `agentgym evaluate --json` prints. */
export interface PolicyEvaluation {
  readonly policy: string;
  readonly environment: string;
  readonly evaluation: EvaluationSummary;
  /** Results on the same split, tasks and seeds. */
  readonly baselines: Pick<Baselines, 'random' | 'oracle' | 'demonstrator'>;
  /** Measured, so another evaluation gives other numbers. */
  readonly time: {
    /** Seconds in which the policy played, without the baselines. */
    readonly seconds: number;
    /** Sampled tokens. Absent for players without tokens. */
    readonly tokensPerSecond?: number;
    /** Most memory that this process held, with the opening of the policy. */
    readonly peakBytes: number;
  };
  /** What a text model is, and what it has used. Absent for other players. */
  readonly textModel?: { readonly facts: JsonObject; readonly usage?: { readonly [name: string]: number } };
}

/** Number of tasks if no run determines it. */
const usualTasks = 500;

/** Plays tasks of a split, and lets the baselines play the same ones. */
export async function evaluatePolicy(request: EvaluatePolicyRequest): Promise<PolicyEvaluation> {
  const player = await openPlayer(request);
  try {
    const { actor, environment, final, horizon, name, reward, trainedClusters } = player;
    const { split = final?.split ?? 'test', tasks = final?.tasks ?? usualTasks } = request;
    const options: EvaluateOptions = {
      trainedClusters,
      split,
      tasks: tasks === 'all' ? Infinity : tasks,
      attempts: request.episodesPerTask,
      environments: environment.pool,
      reward,
      horizon,
      random: request.settings.random.stream('evaluation'),
      rollout: { ...defaultRollout, retries: 2 },
      signal: request.settings.signal,
    };
    const { progress } = request;
    const play = (who: Actor, as: string) => {
      progress?.begin(as);
      return evaluate(who, { ...options, ...(progress && { progress: (counts) => progress.take(counts) }) });
    };
    const { summary, seconds, tokens } = await play(actor, name);
    const peakBytes = peakMemory();
    const time = { seconds, ...(actor.kind === 'model' && { tokensPerSecond: tokens / seconds }), peakBytes };
    const textModel = textModelOf(actor);
    const baselines: { -readonly [baseline in BaselineName]?: EvaluationSummary } = {};
    for (const baseline of baselinePlayers(environment)) {
      baselines[baseline.player] = (await play(baseline, baseline.player)).summary;
    }
    return {
      policy: name,
      environment: environment.name,
      evaluation: summary,
      baselines,
      time,
      ...(textModel && { textModel }),
    };
  } finally {
    await player.dispose();
  }
}

function textModelOf(actor: Actor): PolicyEvaluation['textModel'] {
  if (actor.kind !== 'player' || !isTextPlayer(actor.player)) return undefined;
  const usage = actor.player.usage?.();
  return { facts: actor.player.describe(), ...(usage && { usage }) };
}
