import type { ReportEvaluation, ReportRun } from './report-data.js';

/** The final result of the trained policy, at temperature 0. */
export function finalOf({ evaluations }: ReportRun): ReportEvaluation | undefined {
  return evaluations.findLast(
    ({ final, player, temperature, environment }) =>
      final && player === 'policy' && temperature === 0 && environment === undefined,
  );
}
