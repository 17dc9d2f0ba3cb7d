import type { SplitName } from '../contracts/environment.js';
import type { EvaluationSummary, Interval } from '../contracts/evaluation.js';
import type { Random } from '../contracts/random.js';
import type { CompletedEpisode, Episode } from '../contracts/trajectory.js';
import type { Actor } from '../rollout/actor.js';
import { collectEpisodes, type CollectOptions } from '../rollout/collect-episodes.js';
import { refuseManyFailures } from '../rollout/failures.js';
import { summarizeEpisodes } from '../rollout/summarize-episodes.js';
import { chooseTasks } from '../rollout/task-order.js';
import { meanInterval } from '../statistics/mean-interval.js';
import { passAtK } from '../statistics/pass-at-k.js';
import { wilsonInterval } from '../statistics/wilson-interval.js';

/**
 * How an evaluation is played. Tasks and randomness follow from these settings alone, so that whoever plays under the same ones plays the
 * same tasks in the same worlds, and differences between players are paired.
 */
export interface EvaluateOptions extends Omit<CollectOptions, 'actor'> {
  readonly split: SplitName;
  /** So many tasks, each at most once; all of a bounded split where it has no more. */
  readonly tasks: number;
  /** Episodes of each task: avg@k and pass@k where more than one. */
  readonly attempts: number;
  /** Root of this evaluation's streams. */
  readonly random: Random;
}

/** What came of the attempts at one task; failed ones are not among them. */
export interface TaskOutcome {
  readonly task: string;
  readonly cluster?: string;
  readonly labels?: { readonly [axis: string]: string | number };
  readonly attempts: readonly {
    readonly success: boolean;
    readonly return: number;
    readonly turns: number;
    readonly truncated: boolean;
  }[];
}

export interface Evaluation {
  readonly summary: EvaluationSummary;
  /** In the order of the tasks. */
  readonly outcomes: readonly TaskOutcome[];
  /** In the order of tasks and attempts; failed ones are among them. */
  readonly episodes: readonly Episode[];
}

/**
 * Plays tasks of one split, and reads no other.
 *
 * @throws AG_EPISODES_FAILED where too many episodes failed, AG_INTERRUPTED
 */
export async function evaluate(actor: Actor, options: EvaluateOptions): Promise<Evaluation> {
  const { environments, split, attempts, random } = options;
  const { world } = environments;
  const tasks = await chooseTasks(world.splits[split], options.tasks, random.stream('tasks', split));
  const keys = tasks.flatMap((task, group) =>
    Array.from({ length: attempts }, (_, member) => ({ iteration: 0, task, group, member })),
  );
  const episodes = await collectEpisodes(keys, { ...options, actor, random: random.stream('episodes', split) });
  refuseManyFailures(episodes, options.rollout.maxFailedShare, world);

  const told = world.tells ? await world.about(tasks) : [];
  const outcomes = tasks.map((task, group) => {
    const played = episodes.slice(group * attempts, (group + 1) * attempts);
    return {
      task,
      ...told[group],
      attempts: played.filter((episode) => episode.status === 'completed').map(attemptOf),
    };
  });
  // A player without tokens is what it is: its temperature is 0 by convention.
  const temperature = actor.kind === 'model' ? actor.sampling.temperature : 0;
  const { truncated, invalid, failed } = summarizeEpisodes(episodes);
  const summary = {
    split,
    temperature,
    ...intervals(outcomes, attempts, random.stream('bootstrap')),
    truncated,
    invalid,
    failed,
    ...(attempts > 1 && { attempts: { k: attempts, ...attemptRates(outcomes, attempts) } }),
  };
  return { summary, outcomes, episodes };
}

function attemptOf(episode: CompletedEpisode): TaskOutcome['attempts'][number] {
  const { success, turns, truncated } = episode;
  return { success, return: episode.return, turns: turns.length, truncated: truncated !== undefined };
}

/** Means over episodes; attempts at one task, and tasks of one cluster, stand or fall together. */
function intervals(
  outcomes: readonly TaskOutcome[],
  attempts: number,
  random: Random,
): Pick<EvaluationSummary, 'success' | 'return' | 'turns'> {
  const played = outcomes.flatMap(({ task, cluster = task, attempts: of }) =>
    of.map((attempt) => ({ ...attempt, cluster })),
  );
  const dependent = attempts > 1 || outcomes.some(({ cluster }) => cluster !== undefined);
  const clusters = dependent ? played.map(({ cluster }) => cluster) : undefined;
  const mean = (values: readonly number[]): ReturnType<typeof meanInterval> => {
    // Nothing was played: no number, but a document that can be written.
    if (values.length === 0) return { mean: 0, low: -Infinity, high: Infinity, method: 't' };
    return meanInterval(values, random, clusters);
  };
  const rounded = ({ mean: value, low, high }: Interval & { readonly mean: number }) => ({ mean: value, low, high });

  const successes = played.map(({ success }) => Number(success));
  const { mean: rate, ...rest } = mean(successes);
  const total = successes.reduce((sum, success) => sum + success, 0);
  const interval =
    rest.method === 'cluster-bootstrap'
      ? { low: Math.max(0, rest.low), high: Math.min(1, rest.high), method: rest.method }
      : { ...wilsonInterval(total, played.length), method: 'wilson' as const };
  return {
    success: { rate, ...interval, episodes: played.length },
    return: rounded(mean(played.map((attempt) => attempt.return))),
    turns: rounded(mean(played.map(({ turns }) => turns))),
  };
}

/** Over the tasks of which no attempt failed. */
function attemptRates(outcomes: readonly TaskOutcome[], k: number): { avg: number; pass: number } {
  const whole = outcomes.filter(({ attempts }) => attempts.length === k);
  const successes = whole.map(({ attempts }) => attempts.filter(({ success }) => success).length);
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  return { avg: mean(successes.map((count) => count / k)), pass: mean(successes.map((count) => passAtK(k, count, k))) };
}
