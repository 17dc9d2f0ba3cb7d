import type { SplitName } from '../contracts/environment.js';
import type { EvaluationSummary } from '../contracts/evaluation.js';
import type { JsonObject } from '../contracts/json.js';
import { type EvaluateOptions, type Evaluation, evaluate, evaluateTogether } from '../evaluation/evaluate.js';
import { baselinePlayers } from './baseline-players.js';
import { peakMemory } from '../processes/peak-memory.js';
import { type Actor, isTextPlayer } from '../rollout/actor.js';
import { type OpenPlayerRequest, defaultRollout, findPlayedModel, openPlayer } from './open-player.js';
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
  /** Of several environments: of all together, in which every task counts the same. */
  readonly evaluation: EvaluationSummary;
  /** Results on the same split, tasks and seeds. */
  readonly baselines: Pick<Baselines, 'random' | 'oracle' | 'demonstrator'>;
  /** Results in each of several environments that a run was trained in, by their names in its recipe. Absent: there is one. */
  readonly environments?: {
    readonly [entry: string]: Pick<PolicyEvaluation, 'environment' | 'evaluation' | 'baselines'>;
  };
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
  readonly textModel?:
    | { readonly facts: JsonObject; readonly usage?: { readonly [name: string]: number } | undefined }
    | undefined;
}

/** Number of tasks if no run determines it. */
const usualTasks = 500;

/** Plays tasks of a split, and lets the baselines play the same ones. A run of several environments plays in each. */
export async function evaluatePolicy(request: EvaluatePolicyRequest): Promise<PolicyEvaluation> {
  const found = await findPlayedModel(request);
  const asked = { ...request, found };
  const all = request.environment === undefined ? (found?.plan?.entries ?? []) : [];
  const entries = all.flatMap(({ entry }) => entry ?? []);
  const [first = request.environment, ...others] = entries;
  const one = await evaluateIn({ ...asked, environment: first });
  const evaluated = [one];
  for (const environment of others) evaluated.push(await evaluateIn({ ...asked, environment }));
  const { attempts, own: _, baselines, ...told } = one;
  if (others.length === 0) return { ...told, ...resultsOf(one) };
  const random = request.settings.random.stream('evaluation');
  const sumUp = (all: readonly Evaluation[]) => evaluateTogether(all, attempts, random);
  const common = [...baselines.keys()].flatMap((player): [string, Evaluation][] => {
    const played = evaluated.flatMap((each) => each.baselines.get(player) ?? []);
    return played.length < evaluated.length ? [] : [[player, sumUp(played)]];
  });
  const together = sumUp(evaluated.map((each) => each.own));
  const { tokensPerSecond } = told.time;
  return {
    ...told,
    environment: [...new Set(evaluated.map(({ environment }) => environment))].join(' + '),
    ...resultsOf({ own: together, baselines: new Map(common) }),
    environments: Object.fromEntries(
      evaluated.map((each, place) => [entries[place] ?? '', { environment: each.environment, ...resultsOf(each) }]),
    ),
    time: {
      seconds: together.seconds,
      ...(tokensPerSecond !== undefined && { tokensPerSecond: together.tokens / together.seconds }),
      peakBytes: Math.max(...evaluated.map(({ time }) => time.peakBytes)),
    },
  };
}

function resultsOf({
  own,
  baselines,
}: Pick<Evaluated, 'own' | 'baselines'>): Pick<PolicyEvaluation, 'evaluation' | 'baselines'> {
  const summaries = [...baselines].map(([player, { summary }]) => [player, summary]);
  return { evaluation: own.summary, baselines: Object.fromEntries(summaries) as PolicyEvaluation['baselines'] };
}

/** What one environment gives. */
interface Evaluated extends Omit<PolicyEvaluation, 'evaluation' | 'baselines' | 'environments'> {
  /** Episodes of each task. */
  readonly attempts: number;
  readonly own: Evaluation;
  readonly baselines: ReadonlyMap<string, Evaluation>;
}

async function evaluateIn(request: EvaluatePolicyRequest): Promise<Evaluated> {
  const player = await openPlayer(request);
  try {
    const { actor, entry, environment, final, horizon, name, reward, trainedClusters } = player;
    const { split = final?.split ?? 'test', tasks = final?.tasks ?? usualTasks } = request;
    const attempts = request.episodesPerTask;
    const { progress } = request;
    const options: EvaluateOptions = {
      ...{ trainedClusters, split, attempts, entry, reward, horizon },
      tasks: tasks === 'all' ? Infinity : tasks,
      environments: environment.pool,
      random: request.settings.random.stream('evaluation'),
      rollout: { ...defaultRollout, retries: 2 },
      signal: request.settings.signal,
      ...(progress && { progress: (counts) => progress.take(counts) }),
    };
    const play = async (who: Actor, as: string) => {
      progress?.begin(entry === undefined ? as : `${as} in ${entry}`);
      const played = await evaluate(who, options);
      if (entry === undefined) return played;
      return { ...played, summary: { ...played.summary, environment: entry } };
    };
    const own = await play(actor, name);
    const baselines = new Map<string, Evaluation>();
    const { seconds, tokens } = own;
    const peakBytes = peakMemory();
    const time = { seconds, ...(actor.kind === 'model' && { tokensPerSecond: tokens / seconds }), peakBytes };
    for (const baseline of baselinePlayers(environment)) {
      baselines.set(baseline.player, await play(baseline, baseline.player));
    }
    return {
      policy: name,
      environment: environment.name,
      attempts,
      own,
      baselines,
      time,
      textModel: textModelOf(actor),
    };
  } finally {
    await player.dispose();
  }
}

function textModelOf(actor: Actor): PolicyEvaluation['textModel'] {
  if (actor.kind !== 'player' || !isTextPlayer(actor.player)) return undefined;
  const usage = actor.player.usage?.();
  return { facts: actor.player.describe(), usage };
}
