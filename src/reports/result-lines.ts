import { evaluationCurve } from '../reporting/evaluation-curve.js';
import type { RunMetricsLine } from '../reporting/metrics-log.js';
import { intervalNote, labelLines, resultsTable, type ResultRow } from '../reporting/results-table.js';
import { paint, type TerminalStyle } from '../reporting/terminal-style.js';
import { trainingCurve } from '../reporting/training-curve.js';
import type { RunResult } from '../runs/run-result.js';

type Outcome = Pick<RunResult, 'baselines' | 'evaluation' | 'evaluations' | 'starts' | 'transfer'>;

/** The results of a run for a reader: the curve of its evaluations and the table of all players. */
export function resultLines(result: Outcome, metrics: readonly RunMetricsLine[], style: TerminalStyle): string[] {
  const { demonstrator } = result.baselines;
  const reference = demonstrator && { name: 'demonstrator', value: demonstrator.success.rate };
  const curve = trainingCurve(evaluationCurve(metrics), style, reference);
  const rows = resultRows(result);
  const table = rows.length === 0 ? [] : [...resultsTable(rows, style), intervalNote(rows), ...labelLines(rows, style)];
  const others = transferRows(result).flatMap(({ environment, rows: played }) => [
    '',
    paint(`on ${environment}`, 'dim', style),
    ...resultsTable(played, style),
    ...labelLines(played, style),
  ]);
  return [...curve, ...(curve.length > 0 && table.length > 0 ? [''] : []), ...table, ...others];
}

/** The players of each other environment that the final evaluation played. */
export function transferRows({ transfer = {} }: Pick<Outcome, 'transfer'>): readonly {
  readonly environment: string;
  readonly rows: readonly ResultRow[];
}[] {
  return Object.entries(transfer).map(([environment, { evaluations, baselines }]) => ({
    environment,
    rows: resultRows({ evaluation: null, evaluations, baselines, starts: [] }),
  }));
}

/** From players without knowledge to the one that knows everything. */
export function resultRows({ baselines, evaluation, evaluations, starts }: Outcome): ResultRow[] {
  const row = (name: string, summary: ResultRow['evaluation'] | undefined): ResultRow[] =>
    summary === undefined ? [] : [{ name, evaluation: summary }];
  const trained = evaluations.length > 0 || evaluation === null ? evaluations : [evaluation];
  return [
    ...row('random', baselines.random),
    ...row('demonstrator', baselines.demonstrator),
    ...starts.map((summary) => ({
      name: nameAt('before RL', summary),
      evaluation: summary,
      reference: summary.temperature === 0,
    })),
    ...trained.map((summary) => ({
      name: nameAt('trained', summary),
      evaluation: summary,
      emphasis: summary.temperature === 0,
    })),
    ...row('oracle', baselines.oracle),
  ];
}

function nameAt(name: string, { temperature }: ResultRow['evaluation']): string {
  return temperature === 0 ? name : `${name}, temperature ${temperature}`;
}
