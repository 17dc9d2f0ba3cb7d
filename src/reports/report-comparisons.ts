import type { Interval } from '../contracts/evaluation.js';
import type { ReportComparison } from '../reporting/report-data.js';
import { compareCells, type CellComparison } from '../ablation/compare-cells.js';
import { readOutcomes } from '../ablation/read-outcomes.js';
import type { LoadedRun } from '../runs/load-run.js';

/**
 * For each pair of players of a run, the second minus the first in success, over the tasks that both played. All players
 * of a run play the same tasks in the same worlds. `corrected` is by Holm over these. A player without results on these
 * tasks is omitted. The policy plays at `temperature`; others have none.
 */
export function comparePlayers(
  run: LoadedRun,
  pairs: readonly (readonly [first: string, second: string])[],
  temperature = 0,
): readonly CellComparison[] {
  const outcomes = new Map(
    [...new Set(pairs.flat())].flatMap((player) => {
      const isPolicy = player === 'policy' || player === 'start';
      const final = readOutcomes(run, player, 'success', isPolicy ? temperature : 0);
      return final ? [[player, [final]] as const] : [];
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
export function finite<Estimate extends Interval>({ low, high, ...estimate }: Estimate) {
  const end = (value: number) => (Number.isFinite(value) ? value : null);
  return { ...estimate, low: end(low), high: end(high) };
}
