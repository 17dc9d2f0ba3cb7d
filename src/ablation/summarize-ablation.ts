import { loadRun, presentStatus, type LoadedRun } from '../runs/load-run.js';
import type { RunResult } from '../runs/run-result.js';
import type { AblationResult, CellRunSummary, CellSummary } from './ablation-result.js';
import { readCellRun, runName, runsOf, type AblationManifest, type CellRun } from './ablation-directory.js';
import { answerQuestion } from './answer-question.js';
import { answerTransfer } from './answer-transfer.js';
import { testedId } from './cell-id.js';
import { compareCells, meanOfRuns, type CellComparison, type CellMean } from './compare-cells.js';
import { gridEffects } from './grid-effects.js';
import { summarizeTransfer } from './transfer-summary.js';
import { readOutcomes, withPlaces, type Measure, type RunOutcomes } from './read-outcomes.js';

export interface SummarizeOptions {
  readonly measure: Measure;
  readonly temperature: number;
}

/** The parts of a run that a summary uses; evaluations only if the run is complete. */
type SummarizedRun = Pick<LoadedRun, 'manifest' | 'status' | 'result' | 'evaluations'>;

/** The runs of an ablation that have begun, by folder. */
export async function readBegunRuns(
  directory: string,
  manifest: AblationManifest,
): Promise<ReadonlyMap<string, SummarizedRun>> {
  const begun = new Map<string, SummarizedRun>();
  for (const run of runsOf(directory, manifest)) {
    const state = await readCellRun(run, manifest.finished);
    if (state === undefined) continue;
    const { manifest: own, result } = state;
    const status = presentStatus(run.directory, own);
    begun.set(run.directory, result ? await loadRun(run.directory) : { manifest: own, status, evaluations: [] });
  }
  return begun;
}

/** Compares the cells of an ablation from the runs that have begun, which are given by folder. Reads no files. */
export function summarizeCells(
  directory: string,
  manifest: AblationManifest,
  begun: ReadonlyMap<string, SummarizedRun>,
  { measure, temperature }: SummarizeOptions,
): AblationResult {
  const runs = runsOf(directory, manifest);
  const outcomes = new Map<string, readonly RunOutcomes[]>();
  const starts = new Map<string, readonly RunOutcomes[]>();
  const cells: CellSummary[] = [];
  const results: RunResult[] = [];
  for (const cell of manifest.cells) {
    const own = runs.filter((run) => run.cell === cell);
    const summaries = own.map((run) => summaryOf(run, manifest, begun.get(run.directory)));
    const complete = own.flatMap((run) => {
      const found = begun.get(run.directory);
      const isComplete = found?.manifest.status === 'completed' && found.result !== undefined;
      return isComplete ? [{ ...found, seed: run.seed, result: found.result }] : [];
    });
    results.push(...complete.map(({ result }) => result));
    for (const tested of manifest.tests ?? [undefined]) {
      const read = (player: string, what: Measure, environment: string | undefined) =>
        complete.flatMap((run) => {
          const found = readOutcomes(run, player, what, temperature, environment);
          // Equal ids in different environments are different tasks; all cells of a tested environment play the same.
          if (found === undefined || tested !== undefined) return found ?? [];
          return withPlaces(found, run.manifest.recipe);
        });
      const success = read('policy', 'success', tested);
      const measured = measure === 'success' ? success : read('policy', measure, tested);
      const id = tested === undefined ? cell.id : testedId(cell.id, tested);
      outcomes.set(id, measured);
      const rate = meanOfRuns(success, 'success');
      // The start plays in its own environment only.
      const before = tested === undefined || tested === cell.id ? read('start', measure, undefined) : [];
      const start = meanOfRuns(before, measure);
      if (start !== null) starts.set(id, before);
      cells.push({
        id,
        trained: tested && cell.id,
        tested,
        title: cell.title,
        settings: cell.settings,
        seeds: complete.map(({ seed }) => seed),
        success: rate && rateOf(rate),
        start: start ?? undefined,
        measured: measure === 'success' ? undefined : meanOfRuns(measured, measure),
        spent: meanSpent(complete.map(({ result }) => result)),
        status: statusOf(summaries),
        notes: cell.notes,
        runs: summaries,
      });
    }
  }
  const comparisons = compareCells(pairsOf(manifest), outcomes, measure);
  const gains = gainsOf(starts, outcomes, measure);
  const effects = gridEffects(manifest.cells, outcomes, measure);
  const { name, axis, question, tests } = manifest;
  const reference = tests === undefined ? manifest.reference : testedId(manifest.reference, manifest.reference);
  const outcomesOf = (trained: string, tested: string) => outcomes.get(testedId(trained, tested)) ?? [];
  const ids = manifest.cells.map(({ id }) => id);
  const transfer = tests && summarizeTransfer(ids, tests, outcomesOf, measure, results);
  const split = manifest.cells[0]?.recipe.evaluation.final.split ?? 'test';
  const result = {
    name,
    axis,
    question,
    status: statusOf(cells),
    measure,
    temperature,
    split,
    reference,
    cells,
    comparisons,
    ...(gains.length > 0 && { gains }),
    ...(effects.length > 0 && { effects }),
    transfer,
  } as const;
  const answer = transfer === undefined ? answerQuestion(result) : answerTransfer(result, transfer);
  return { formatVersion: 1, ablation: directory, ...result, answer };
}

/** What reinforcement learning adds to the start of each cell. */
function gainsOf(
  starts: ReadonlyMap<string, readonly RunOutcomes[]>,
  outcomes: ReadonlyMap<string, readonly RunOutcomes[]>,
  measure: Measure,
): readonly CellComparison[] {
  const startId = (id: string): string => `start of ${id}`;
  const both = new Map([...outcomes, ...[...starts].map(([id, runs]) => [startId(id), runs] as const)]);
  return compareCells(
    [...starts.keys()].map((id) => [startId(id), id]),
    both,
    measure,
  );
}

function rateOf({ mean, ...interval }: CellMean): NonNullable<CellSummary['success']> {
  return { rate: mean, ...interval };
}

function summaryOf(run: CellRun, { failed }: AblationManifest, found: SummarizedRun | undefined): CellRunSummary {
  const cause = found?.manifest.error?.message ?? failed[runName(run)];
  const status = found?.status ?? (cause === undefined ? 'missing' : 'failed');
  return { seed: run.seed, run: run.directory, status, cause };
}

function statusOf(runs: readonly Pick<CellRunSummary | CellSummary, 'status'>[]): CellSummary['status'] {
  if (runs.some(({ status }) => status === 'failed')) return 'failed';
  return runs.every(({ status }) => status === 'completed') ? 'completed' : 'incomplete';
}

function pairsOf({ cells, reference, compare, tests }: AblationManifest): (readonly [string, string])[] {
  const ids = cells.map(({ id }) => id);
  if (tests !== undefined) {
    // On every column, cells that trained elsewhere are compared with the cell that trained there.
    return tests.flatMap((column) =>
      ids.filter((id) => id !== column).map((id) => [testedId(column, column), testedId(id, column)] as const),
    );
  }
  if (compare === 'reference') return ids.filter((id) => id !== reference).map((id) => [reference, id]);
  return ids.flatMap((a, index) => ids.slice(index + 1).map((b) => [a, b] as const));
}

function meanSpent(results: readonly RunResult[]): Record<string, number> {
  const totals = new Map<string, number[]>();
  for (const { spent } of results) {
    for (const [currency, amount] of Object.entries({ ...spent })) {
      totals.set(currency, [...(totals.get(currency) ?? []), amount]);
    }
  }
  // A currency is left out if one of the runs does not report it.
  const whole = [...totals].filter(([, amounts]) => amounts.length === results.length);
  return Object.fromEntries(
    whole.map(([currency, amounts]) => [currency, amounts.reduce((sum, one) => sum + one, 0) / amounts.length]),
  );
}
