import { existsSync } from 'node:fs';

import type {
  ReportCell,
  ReportData,
  ReportEffect,
  ReportRate,
  ReportRun,
  ReportTransfer,
} from '../reporting/report-data.js';
import { readAblation, readCellRun, runsOf, type AblationManifest } from '../ablation/ablation-directory.js';
import { trainedCells, type CellSummary } from '../ablation/ablation-result.js';
import type { GridEffect } from '../ablation/grid-effects.js';
import type { Measure } from '../ablation/read-outcomes.js';
import { summarizeCells, type SummarizeOptions } from '../ablation/summarize-ablation.js';
import { cellOf, namedComparisons } from '../ablation/transfer-lines.js';
import type { TransferSummary } from '../ablation/transfer-summary.js';
import { loadRun } from '../runs/load-run.js';
import { differingKeys, recipeLeaves } from '../runs/recipe-leaves.js';
import { statusTogether, type ReportedRun } from './report-cells.js';
import { finite, reportComparison } from './report-comparisons.js';
import { reportEpisodes, type ShownEpisodeLimits } from './report-episodes.js';
import { reportRun } from './report-run.js';
import { halfLogs } from './report-runs.js';

export interface ReportAblationOptions extends SummarizeOptions {
  /** Limits for all runs together. */
  readonly episodes: ShownEpisodeLimits;
  readonly version: string;
}

/** With more runs than this, the page omits their recipes and tasks; the cells show the differences. */
const mostDetailed = 20;

/** Gathers the data of the report page for an ablation, complete or not. Throws as `readCellRun` and `loadRun` do. */
export async function reportAblation(directory: string, options: ReportAblationOptions): Promise<ReportData> {
  const manifest = await readAblation(directory);
  const begun = runsOf(directory, manifest).filter((run) => existsSync(run.directory));
  const { count, bytes } = options.episodes;
  const share = Math.max(1, begun.length);
  const limits = { count: Math.floor(count / share), bytes: Math.floor(bytes / share) };
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
  const cells = trainedCells(result.cells).map((cell) => {
    const { id, title = id, trained } = cell;
    return { ...cell, id: trained ?? id, title: trained ?? title };
  });
  const wanted = runsOf(directory, manifest);
  const runs: ReportRun[] = [];
  const notes: string[] = [...(result.transfer?.notes ?? [])];
  for (const { id: cell, title, runs: ofCell } of cells) {
    for (const { run, seed } of ofCell) {
      const found = begun.get(run);
      if (found === undefined) continue;
      const { recipe, tasks, ...report } = found.report;
      const label = `${title}, seed ${seed}`;
      const details = wanted.length <= mostDetailed && { ...(recipe && { recipe }), ...(tasks && { tasks }) };
      runs.push({ ...report, ...details, label, cell });
      const halves = halfLogs(found);
      if (halves.length > 0)
        notes.push(`${label}: the last line of ${halves.join(' and ')} is incomplete and left out.`);
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
    cells: withVaryingKeys(cells).map(reportCell),
    comparisons: namedComparisons(result).map((comparison) => {
      const { a, b } = comparison;
      return reportComparison(comparison, { measure: result.measure, a, b });
    }),
    ...(result.effects?.length && { effects: result.effects.map((effect) => reportEffect(effect, result.measure)) }),
    ...(result.transfer && { transfer: reportTransfer(result.cells, result.transfer) }),
  };
}

function reportTransfer(
  cells: readonly CellSummary[],
  { trained, tested, elsewhere }: TransferSummary,
): ReportTransfer {
  const rows = trained.map((row) => {
    const loss = elsewhere.find(({ b }) => b === row);
    return {
      cell: row,
      success: tested.map((column) => rateOf(cellOf(cells, row, column)?.success ?? null)),
      elsewhere: loss === undefined ? null : finite(loss.difference),
    };
  });
  return { tested, rows };
}

function rateOf(success: CellSummary['success']): ReportRate | null {
  if (success === null) return null;
  const { rate: mean, ...interval } = success;
  const { mean: rate, ...ends } = finite({ mean, ...interval });
  return { rate, ...ends };
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

function reportCell({ id, title = id, settings, success, spent, notes, runs }: CellSummary): ReportCell {
  const failure = runs.find(({ cause }) => cause !== undefined)?.cause;
  return {
    id,
    label: title,
    settings,
    seeds: runs.map(({ seed }) => seed),
    success: rateOf(success),
    spent,
    status: statusTogether(runs.map(({ status }) => (status === 'missing' ? 'queued' : status))),
    ...(failure !== undefined && { failure }),
    ...(notes.length > 0 && { notes }),
  };
}

/** Effects are over all cells of the grid, which play the same tasks. */
function reportEffect({ kind, ...effect }: GridEffect, measure: Measure): ReportEffect {
  const { a, b } = effect;
  return { kind, ...reportComparison({ ...effect, design: 'paired' }, { measure, a, b }) };
}
