import { explanation, paragraph } from '../blocks/block.js';
import { adviceBlocks } from '../blocks/tell-advice.js';
import { costBlocks, type Spent } from '../blocks/tell-costs.js';
import { differenceBlocks } from '../blocks/tell-differences.js';
import { finalBlocks } from '../blocks/tell-players.js';
import { settingBlocks } from '../blocks/tell-results.js';
import type { ReportData } from '../report-data.js';
import { blockSection } from './html-blocks.js';

/**
 * The section of results: players of a run or cells of a comparison, and their differences.
 *
 * @param runAddress address of a run's page by its id; absent: runs have no pages
 */
export function resultsSection(data: ReportData, runAddress?: (id: string) => string): HTMLElement | undefined {
  const { cells, comparisons, runs } = data;
  const page = { runs, runAddress };
  return blockSection(
    'results',
    'Results',
    cells.length > 0
      ? settingBlocks(data, { measure: 'success', page })
      : [...runs.flatMap(({ evaluations }) => finalBlocks(evaluations, 'all')), ...differenceBlocks(comparisons)],
  );
}

/** The section of costs: by stage of a run, or by cell of a comparison. */
export function costsSection({ cells, runs }: ReportData): HTMLElement | undefined {
  if (cells.length > 0) {
    const rows = cells.map(({ label, spent }) => ({ name: label, spent }));
    return blockSection(
      'spent',
      'Costs',
      costBlocks(rows, 'setting', 'Mean per run.', 'Time includes all evaluations.'),
    );
  }
  const rows = runs.flatMap(({ stages, spent }): Spent[] => [
    ...stages,
    ...(stages.length > 1 ? [{ name: 'all', spent, isAbout: true }] : []),
  ]);
  const time =
    'The time of a stage includes the evaluations during it; the time of all stages together also includes those before and after.';
  return blockSection('spent', 'Costs', costBlocks(rows, 'stage', time));
}

/** The advice of `agentgym advise` for the run. Undefined without advice. */
export function adviceSection({ runs }: ReportData): HTMLElement | undefined {
  const [only] = runs;
  if (runs.length !== 1 || only?.advice === undefined) return undefined;
  return blockSection('advice', 'Advice', [
    ...(only.advice.findings.length === 0 ? [paragraph('The checks found no problem with this run.')] : []),
    ...adviceBlocks(only.advice),
    ...explanation(
      `These checks read only the log and the evaluations. \`agentgym advise ${only.id}\` also plays training tasks and checks more.`,
    ),
  ]);
}
