import type { RunResult } from '../run-result.js';
import type { AblationResult, CellRunSummary, CellSummary } from './ablation-result.js';
import { readCellRun, runName, runsOf, type AblationManifest, type CellRun } from './ablation-directory.js';
import { answerQuestion } from './answer-question.js';
import { answerTransfer } from './answer-transfer.js';
import { testedId } from './cell-id.js';
import { cellMean, compareCells, type CellMean } from './compare-cells.js';
import { summarizeTransfer } from './transfer-summary.js';
import { readOutcomes, type Measure, type RunOutcomes } from './read-outcomes.js';

export interface SummarizeOptions {
  readonly measure: Measure;
  readonly temperature: number;
}

/** Reads the runs of an ablation and compares its cells, complete or not. Nothing is written. */
export async function summarizeAblation(
  directory: string,
  manifest: AblationManifest,
  { measure, temperature }: SummarizeOptions,
): Promise<AblationResult> {
  const runs = runsOf(directory, manifest);
  const outcomes = new Map<string, readonly RunOutcomes[]>();
  const cells: CellSummary[] = [];
  const results: RunResult[] = [];
  for (const cell of manifest.cells) {
    const states = await Promise.all(runs.filter((run) => run.cell === cell).map((run) => readRun(run, manifest)));
    const complete = states.filter(({ result }) => result !== undefined);
    results.push(...complete.flatMap(({ result }) => result ?? []));
    for (const tested of manifest.tests ?? [undefined]) {
      const read = (what: Measure) =>
        Promise.all(complete.map(({ run }) => readOutcomes(run.directory, run.recipe, what, temperature, tested)));
      const success = (await read('success')).filter((one) => one !== undefined);
      const measured = measure === 'success' ? success : (await read(measure)).filter((one) => one !== undefined);
      const id = tested === undefined ? cell.id : testedId(cell.id, tested);
      outcomes.set(id, measured);
      const rate = cellMean(success, 'success');
      cells.push({
        id,
        ...(tested !== undefined && { trained: cell.id, tested }),
        settings: cell.settings,
        seeds: complete.map(({ run }) => run.seed),
        success: rate === undefined ? null : { rate: rate.mean, low: rate.low, high: rate.high },
        ...(measure !== 'success' && { measured: pick(cellMean(measured, measure)) }),
        spent: meanSpent(complete.flatMap(({ result }) => result ?? [])),
        status: statusOf(states.map(({ summary }) => summary)),
        notes: cell.notes,
        runs: states.map(({ summary }) => summary),
      });
    }
  }
  const comparisons = compareCells(pairsOf(manifest), outcomes, measure);
  const status = cells.some((cell) => cell.status === 'failed')
    ? 'failed'
    : cells.some((cell) => cell.status === 'incomplete')
      ? 'incomplete'
      : 'completed';
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
    status,
    measure,
    temperature,
    split,
    reference,
    cells,
    comparisons,
    ...(transfer && { transfer }),
  } as const;
  const answer = transfer === undefined ? answerQuestion(result) : answerTransfer(result, transfer);
  return { formatVersion: 1, ablation: directory, ...result, answer };
}

interface ReadRun {
  readonly run: CellRun;
  readonly summary: CellRunSummary;
  /** Of a complete run. */
  readonly result?: RunResult;
}

async function readRun(run: CellRun, { finished, failed }: AblationManifest): Promise<ReadRun> {
  const state = await readCellRun(run, finished);
  const at = { seed: run.seed, run: run.directory };
  const cause = state?.manifest.error?.message ?? failed[runName(run)];
  const told = cause === undefined ? {} : { cause };
  if (state === undefined)
    return { run, summary: { ...at, status: cause === undefined ? 'missing' : 'failed', ...told } };
  const { manifest, result } = state;
  return { run, summary: { ...at, status: manifest.status, ...told }, ...(result !== undefined && { result }) };
}

function statusOf(runs: readonly CellRunSummary[]): CellSummary['status'] {
  if (runs.some(({ status }) => status === 'failed')) return 'failed';
  return runs.every(({ status }) => status === 'completed') ? 'completed' : 'incomplete';
}

function pairsOf({ cells, reference, compare, tests }: AblationManifest): (readonly [string, string])[] {
  const ids = cells.map(({ id }) => id);
  if (tests !== undefined) {
    // On every column, those that trained elsewhere against those that trained there.
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
  // A currency that one run cannot tell is none of the cell's.
  const whole = [...totals].filter(([, amounts]) => amounts.length === results.length);
  return Object.fromEntries(
    whole.map(([currency, amounts]) => [currency, amounts.reduce((sum, one) => sum + one, 0) / amounts.length]),
  );
}

function pick(mean: CellMean | undefined): CellMean | null {
  return mean === undefined ? null : { mean: mean.mean, low: mean.low, high: mean.high };
}
