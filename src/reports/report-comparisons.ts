import type { EvaluationSummary } from '../contracts/evaluation.js';
import type { TaskOutcome } from '../evaluation/task-outcome.js';
import type { ReportComparison, ReportMean } from '../reporting/report-data.js';
import { compareCells, type CellComparison, type CellMean } from '../ablation/compare-cells.js';
import { outcomesOfRun } from '../ablation/read-outcomes.js';
import type { LoadedRun } from '../runs/load-run.js';

/** A player's success on the final tasks: the trained policy at a temperature, or another player. */
export interface FinalOutcomes {
  readonly rate: number;
  readonly success: EvaluationSummary['success'];
  readonly outcomes: readonly TaskOutcome[];
}

/**
 * The results of a player on the final tasks at a temperature; undefined if it has not played them.
 *
 * @param environment one of several; absent: all of training together, or the only one
 */
export function finalOutcomes(
  { evaluations, result }: LoadedRun,
  player: string,
  temperature = 0,
  environment?: string,
): FinalOutcomes | undefined {
  const final = result?.evaluation ?? undefined;
  // The last one, because evaluations during training may use the same split.
  const found = evaluations.findLast(
    (line) =>
      line.player === player &&
      line.evaluation.environment === environment &&
      line.evaluation.temperature === temperature &&
      (player !== 'policy' || line.evaluation.split === final?.split),
  );
  const success = found?.evaluation.success;
  return success && { rate: success.rate, success, outcomes: found?.outcomes ?? [] };
}

/**
 * The trained policy of a run minus each of these players, in success, over the tasks that both played. All players of
 * a run play the same tasks in the same worlds. `corrected` is by Holm over these. A player without results on these
 * tasks is omitted.
 */
export function compareWithTrained(run: LoadedRun, players: readonly string[]): readonly CellComparison[] {
  return comparePlayers(
    run,
    players.map((player) => [player, 'policy']),
  );
}

/**
 * The same for any pairs of players: the second minus the first. The policy plays at `temperature`; others have none.
 */
export function comparePlayers(
  run: LoadedRun,
  pairs: readonly (readonly [first: string, second: string])[],
  temperature = 0,
): readonly CellComparison[] {
  const outcomes = new Map(
    [...new Set(pairs.flat())].flatMap((player) => {
      const isPolicy = player === 'policy' || player === 'start';
      const final = finalOutcomes(run, player, isPolicy ? temperature : 0);
      return final ? [[player, [outcomesOfRun(0, final.outcomes, 'success')]] as const] : [];
    }),
  );
  return compareCells(pairs, outcomes, 'success').filter(({ design }) => design === 'paired');
}

/** A difference of cells, runs or players with the given names, as data of the page. */
export function reportComparison(
  { difference, p, corrected, seeds, tasks, design }: CellComparison,
  { measure, a, b }: Pick<ReportComparison, 'measure' | 'a' | 'b'>,
): ReportComparison {
  const [atLeast, note] = design === 'paired' ? ['', ''] : ['≥ ', ', not paired'];
  const pairs = `${seeds > 1 ? `${seeds} seeds, ` : ''}${atLeast}${tasks.toLocaleString('en')} tasks${note}`;
  return { measure, a, b, difference: finite(difference), p, corrected, design, pairs, seeds };
}

/** JSON cannot express an unbounded interval, so its ends become null. */
export function finite({ mean, low, high, reservation }: CellMean): ReportMean {
  const end = (value: number) => (Number.isFinite(value) ? value : null);
  return { mean, low: end(low), high: end(high), ...(reservation !== undefined && { reservation }) };
}
