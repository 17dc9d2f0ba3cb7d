import type { EvaluationSummary } from '../contracts/evaluation.js';
import type { Random } from '../contracts/random.js';
import { meanInterval } from '../statistics/mean-interval.js';
import { wilsonInterval } from '../statistics/wilson-interval.js';
import type { TaskOutcome } from './task-outcome.js';

/**
 * The cluster of every attempt, in the order of tasks and attempts; undefined if episodes are independent. Attempts at
 * one task, and tasks of one cluster, depend on each other.
 *
 * @param attempts number of attempts at each task, including failed ones
 */
export function clustersOf(outcomes: readonly TaskOutcome[], attempts: number): readonly string[] | undefined {
  if (attempts === 1 && outcomes.every(({ cluster }) => cluster === undefined)) return undefined;
  return outcomes.flatMap(({ task, cluster = task, attempts: of }) => of.map(() => cluster));
}

/** Below this number, all clusters may agree by chance, and the interval of a bootstrap over them can have no width. */
const fewClusters = 10;

/**
 * Success over all attempts: with Wilson's interval if episodes are independent, else with a bootstrap over clusters.
 * If all attempts have the same outcome, every resample is equal; then it is Wilson's interval over clusters, each
 * counted as one trial. With few clusters the interval is at least as wide as for independent episodes.
 */
export function successRate(
  outcomes: readonly TaskOutcome[],
  attempts: number,
  random: Random,
): EvaluationSummary['success'] {
  const successes = outcomes.flatMap(({ attempts: of }) => of.map(({ success }) => Number(success)));
  const episodes = successes.length;
  const total = successes.reduce((sum, success) => sum + success, 0);
  const wilson = { ...wilsonInterval(total, episodes), method: 'wilson' as const };
  if (episodes === 0) return { rate: 0, ...wilson, episodes };
  const clusters = clustersOf(outcomes, attempts);
  const { mean, low, high, method } = meanInterval(successes, random, clusters);
  if (method === 't') return { rate: mean, ...wilson, episodes };
  const count = new Set(clusters).size;
  if (total === 0 || total === episodes) {
    return { rate: mean, ...wilsonInterval(mean * count, count), method: 'wilson', episodes };
  }
  if (count < fewClusters && wilson.high - wilson.low > high - low) return { rate: mean, ...wilson, episodes };
  return { rate: mean, low: Math.max(0, low), high: Math.min(1, high), method, episodes };
}
