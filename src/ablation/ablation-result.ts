import type { RunResult } from '../runs/run-result.js';
import type { GridEffect } from './grid-effects.js';
import type { CellComparison, CellMean } from './compare-cells.js';
import type { Measure } from './read-outcomes.js';
import type { Cell } from './resolve-cells.js';
import type { TransferSummary } from './transfer-summary.js';

/** One seed of a cell, as results tell it. */
export interface CellRunSummary {
  readonly seed: number;
  readonly status: 'missing' | 'running' | RunResult['status'];
  readonly run: string;
  /** Why it failed. */
  readonly cause?: string;
}

export interface CellSummary {
  readonly id: string;
  /**
   * Where every cell is tested in several environments: the cell whose runs these are, and what they were tested on.
   */
  readonly trained?: string;
  readonly tested?: string;
  /** What people read in the place of the id; absent: the id. */
  readonly title?: string;
  readonly settings: Cell['settings'];
  /** Seeds whose runs are complete: what the numbers are of. */
  readonly seeds: readonly number[];
  /** Over seeds and tasks; null before the first run is complete. */
  readonly success: (Omit<CellMean, 'mean'> & { readonly rate: number }) | null;
  /** The measure that is compared, where it is not success. */
  readonly measured?: CellMean | null;
  /** Mean over its complete runs, by currency. */
  readonly spent: { readonly [currency: string]: number };
  /** `failed` if a run failed, `incomplete` if a run is missing for another reason. */
  readonly status: 'completed' | 'incomplete' | 'failed';
  /** Settings without effect in this cell, and why. */
  readonly notes: readonly string[];
  readonly runs: readonly CellRunSummary[];
}

/** What an ablation came to so far: what `ablate --json` prints, and `result.json` keeps. */
export interface AblationResult {
  readonly formatVersion: 1;
  /** Its folder. */
  readonly ablation: string;
  readonly name: string;
  readonly axis: string;
  readonly question: string;
  readonly answer: string;
  readonly status: 'completed' | 'incomplete' | 'failed';
  readonly measure: Measure;
  readonly temperature: number;
  /** Split of the final evaluations. */
  readonly split: string;
  /** Id of the cell that the others are compared with. */
  readonly reference: string;
  readonly cells: readonly CellSummary[];
  readonly comparisons: readonly CellComparison[];
  /** Of a full grid of two keys or more: what each key does over the values of the others, and what two do together. */
  readonly effects?: readonly GridEffect[];
  /** Where every cell is tested in several environments. */
  readonly transfer?: TransferSummary;
}

/** A cell's title, by its id. */
export function titleOf(cells: readonly CellSummary[], id: string): string {
  return cells.find((cell) => cell.id === id)?.title ?? id;
}

/** One cell for each training: of the cells that share their runs, the one tested on its training environment. */
export function trainedCells(cells: readonly CellSummary[]): readonly CellSummary[] {
  return cells.filter(({ trained, tested }) => trained === tested);
}
