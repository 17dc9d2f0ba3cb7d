import type { Random } from '../contracts/random.js';
import type { TaskOutcome } from '../evaluation/evaluate.js';
import type { ReportComparison, ReportMean } from '../reporting/report-data.js';
import { meanInterval } from '../statistics/mean-interval.js';
import type { LoadedRun } from './load-run.js';

/** The success of the policy after training, and of players beside it, on the final tasks at temperature 0. */
export interface FinalOutcomes {
  readonly rate: number;
  readonly outcomes: readonly TaskOutcome[];
}

/** What a player came to on the final tasks at temperature 0; undefined where it has not played them. */
export function finalOutcomes({ evaluations, result }: LoadedRun, player: string): FinalOutcomes | undefined {
  const final = result?.evaluation ?? undefined;
  // The last one: evaluations on the way may be of the same split.
  const found = evaluations.findLast(
    (line) =>
      line.player === player &&
      line.evaluation.environment === undefined &&
      line.evaluation.temperature === 0 &&
      (player !== 'policy' || line.evaluation.split === final?.split),
  );
  return found && { rate: found.evaluation.success.rate, outcomes: found.outcomes };
}

/**
 * Difference of success, `b` minus `a`, over the tasks that both played: all players of a run play the same tasks in the same worlds.
 * Tasks of one cluster stand or fall together. Undefined without a common task.
 */
export function compareByTask(a: FinalOutcomes, b: FinalOutcomes, random: Random): Paired | undefined {
  const others = new Map(a.outcomes.map((outcome) => [outcome.task, outcome]));
  const pairs = b.outcomes.flatMap((second) => {
    const first = others.get(second.task);
    return first === undefined || first.attempts.length === 0 || second.attempts.length === 0
      ? []
      : [{ difference: successOf(second) - successOf(first), cluster: second.cluster }];
  });
  if (pairs.length === 0) return undefined;
  const clusters = pairs.map(({ cluster }, i) => cluster ?? `alone ${i}`);
  const values = pairs.map(({ difference }) => difference);
  const { mean, low, high } = meanInterval(values, random.stream('difference'), clusters);
  return { difference: finite({ mean, low, high }), pairs: `${pairs.length} tasks` };
}

type Paired = Pick<ReportComparison, 'difference' | 'pairs'>;

/** JSON has no word for an endless interval. */
export function finite({ mean, low, high }: { mean: number; low: number; high: number }): ReportMean {
  const end = (value: number) => (Number.isFinite(value) ? value : null);
  return { mean, low: end(low), high: end(high) };
}

function successOf({ attempts }: TaskOutcome): number {
  return attempts.filter(({ success }) => success).length / attempts.length;
}
