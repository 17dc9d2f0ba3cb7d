import { existsSync } from 'node:fs';

import type { SettingResults } from '../reporting/blocks/tell-results.js';
import type {
  ReportCell,
  ReportData,
  ReportEffect,
  ReportGain,
  ReportRun,
  ReportTransfer,
} from '../reporting/report-data.js';
import { readAblation, readCellRun, runsOf, type AblationManifest } from '../ablation/ablation-directory.js';
import { titleOf, trainedCells, type AblationResult, type CellSummary } from '../ablation/ablation-result.js';
import { testedId } from '../ablation/cell-id.js';
import type { CellComparison } from '../ablation/compare-cells.js';
import type { GridEffect } from '../ablation/grid-effects.js';
import type { Measure } from '../ablation/read-outcomes.js';
import { summarizeCells, type SummarizeOptions } from '../ablation/summarize-ablation.js';
import type { TransferSummary } from '../ablation/transfer-summary.js';
import { loadRun } from '../runs/load-run.js';
import { differingKeys, recipeLeaves } from '../runs/recipe-leaves.js';
import { statusTogether, type ReportedRun } from './report-cells.js';
import { finite, reportComparison } from './report-comparisons.js';
import { reportEpisodes } from './report-episodes.js';
import { reportRun } from './report-run.js';
import { halfLogs, limitsFor } from './report-runs.js';
import { halfNotes } from './run-notes.js';

export interface ReportAblationOptions extends SummarizeOptions {
  /** The most episodes in the page, over all runs. */
  readonly episodes: number;
  readonly version: string;
}

/** With more runs than this, the page omits their recipes and tasks; the cells show the differences. */
const mostDetailed = 20;

/** Gathers the data of the report page for an ablation, complete or not. Throws as `readCellRun` and `loadRun` do. */
export async function reportAblation(directory: string, options: ReportAblationOptions): Promise<ReportData> {
  const manifest = await readAblation(directory);
  const begun = runsOf(directory, manifest).filter((run) => existsSync(run.directory));
  const limits = limitsFor(options.episodes, Math.max(1, begun.length));
  const runs = new Map<string, ReportedRun>();
  for (const run of begun) {
    await readCellRun(run, manifest.finished);
    const loaded = await loadRun(run.directory);
    const played = await reportEpisodes(run.directory, limits);
    runs.set(run.directory, { loaded, report: reportRun(loaded, played), halfWritten: played.halfWritten });
  }
  return composeAblation(directory, manifest, runs, options);
}

/**
 * Composes one document from an ablation and its started runs, by their folders, without reading files. `summarize`: a
 * caching version for repeated calls.
 */
export function composeAblation(
  directory: string,
  manifest: AblationManifest,
  begun: ReadonlyMap<string, ReportedRun>,
  options: Omit<ReportAblationOptions, 'episodes'>,
  summarize = summarizeCells,
): ReportData {
  const loaded = new Map([...begun].map(([folder, run]) => [folder, run.loaded]));
  const result = summarize(directory, manifest, loaded, options);
  const wanted = runsOf(directory, manifest);
  const runs: ReportRun[] = [];
  const notes: string[] = [...(result.transfer?.notes ?? [])];
  for (const { id, title = id, trained, runs: ofCell } of trainedCells(result.cells)) {
    for (const { run, seed } of ofCell) {
      const found = begun.get(run);
      if (found === undefined) continue;
      const { recipe, tasks, ...report } = found.report;
      const label = `${trained ?? title}, seed ${seed}`;
      const details = wanted.length <= mostDetailed && { recipe, tasks };
      runs.push({ ...report, ...details, label, cell: trained ?? id });
      notes.push(...halfNotes(label, halfLogs(found)));
    }
  }
  if (runs.length < wanted.length)
    notes.push(`${wanted.length - runs.length} of ${wanted.length} runs have not started.`);
  return {
    formatVersion: 1,
    kind: 'ablation',
    title: result.name,
    question: result.question,
    answer: result.answer,
    notes,
    createdAt: new Date().toISOString(),
    version: options.version,
    runs,
    ...reportResults(result),
  };
}

/** The results of an ablation in the form of the page, which terminal and Markdown tell too. */
export function reportResults(result: AblationResult): SettingResults {
  const { cells, measure, transfer } = result;
  const titled = trainedCells(cells).map(({ id, title = id, trained, ...cell }) => {
    return { ...cell, id: trained ?? id, title: trained ?? title };
  });
  const gains = result.gains?.flatMap((gain): ReportGain[] => {
    const { id = '', start, title = id } = cells.find((cell) => cell.id === gain.b) ?? {};
    if (start === undefined) return [];
    return [{ ...reportComparison(gain, { measure, a: 'before RL', b: title }), start: finite(start) }];
  });
  return {
    cells: withVaryingKeys(titled).map(reportCell),
    comparisons: result.comparisons.map((comparison) =>
      reportComparison(comparison, { measure, ...namesOf(comparison, cells) }),
    ),
    effects: result.effects?.map((effect) => reportEffect(effect, measure)),
    gains,
    transfer: transfer && reportTransfer(result, transfer),
  };
}

/** The policy trained on a row and tested on a column is compared with the one trained there. */
function namesOf({ a, b }: CellComparison, cells: readonly CellSummary[]): { readonly a: string; readonly b: string } {
  const { trained, tested } = cells.find(({ id }) => id === b) ?? {};
  if (trained === undefined || tested === undefined) return { a: titleOf(cells, a), b: titleOf(cells, b) };
  return { a: 'trained there', b: `${trained} on ${tested}` };
}

function reportTransfer(
  { cells, measure }: Pick<AblationResult, 'cells' | 'measure'>,
  { trained, tested, elsewhere }: TransferSummary,
): ReportTransfer {
  const meanOf = (row: string, column: string) => {
    const cell = cells.find(({ id }) => id === testedId(row, column));
    const { success = null, measured = null } = cell ?? {};
    if (measure !== 'success' || success === null) return measured && finite(measured);
    const { rate: mean, ...interval } = success;
    return finite({ mean, ...interval });
  };
  const rows = trained.map((row) => {
    const loss = elsewhere.find(({ b }) => b === row);
    return {
      cell: row,
      means: tested.map((column) => meanOf(row, column)),
      elsewhere: loss === undefined ? null : finite(loss.difference),
    };
  });
  return { tested, rows };
}

/** The cells with the leaves of their settings, without those that are equal in all cells. */
function withVaryingKeys(cells: readonly CellSummary[]): CellSummary[] {
  const leaves = cells.map(({ settings }) => recipeLeaves(settings));
  const varying = differingKeys(leaves);
  return cells.map((cell, index) => {
    const own = Object.entries(leaves[index] ?? {}).filter(([key]) => varying.includes(key));
    return { ...cell, settings: Object.fromEntries(own) };
  });
}

function reportCell({
  id,
  title = id,
  settings,
  success,
  measured,
  spent,
  notes,
  runs,
  seeds,
}: CellSummary): ReportCell {
  return {
    id,
    label: title,
    settings,
    seeds: runs.map(({ seed }) => seed),
    tested: seeds.length,
    success: success && finite(success),
    measured: measured && finite(measured),
    spent,
    status: statusTogether(runs.map(({ status }) => (status === 'missing' ? 'queued' : status))),
    failure: runs.find(({ cause }) => cause !== undefined)?.cause,
    ...(notes.length > 0 && { notes }),
  };
}

/** Effects are over all cells of the grid, which play the same tasks. */
function reportEffect({ kind, ...effect }: GridEffect, measure: Measure): ReportEffect {
  const { a, b } = effect;
  return { kind, ...reportComparison({ ...effect, design: 'paired' }, { measure, a, b }) };
}
