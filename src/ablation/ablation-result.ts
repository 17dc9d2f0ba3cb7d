import type { RunResult } from '../runs/run-result.js';
import type { GridEffect } from './grid-effects.js';
import type { CellComparison, CellMean } from './compare-cells.js';
import type { Measure } from './read-outcomes.js';
import type { Cell } from './resolve-cells.js';
import type { TransferSummary } from './transfer-summary.js';

/** One seed of a cell in the results. */
export interface CellRunSummary {
  readonly seed: number;
  readonly status: 'missing' | 'running' | RunResult['status'];
  readonly run: string;
  /** Why it failed. */
  readonly cause?: string | undefined;
}

export interface CellSummary {
  readonly id: string;
  /**
   * The cell whose runs these are, and the environment they were tested in. Present if every cell is tested in several
   * environments.
   */
  readonly trained?: string | undefined;
  readonly tested?: string | undefined;
  /** Name shown to people. Absent: the id. */
  readonly title?: string | undefined;
  readonly settings: Cell['settings'];
  /** Seeds of the complete runs, from which the numbers are computed. */
  readonly seeds: readonly number[];
  /** Estimate over seeds and tasks. Null before the first run is complete. */
  readonly success: (Omit<CellMean, 'mean'> & { readonly rate: number }) | null;
  /**
   * The compared measure of the policy before the last rl stage, on the same tasks. Absent without an rl stage, and if
   * the cell was tested in another environment than its own.
   */
  readonly start?: CellMean | undefined;
  /** The compared measure, if it is not success. */
  readonly measured?: CellMean | null | undefined;
  /** Mean over its complete runs, by currency. */
  readonly spent: { readonly [currency: string]: number };
  /** `failed` if a run failed, `incomplete` if a run is missing for another reason. */
  readonly status: 'completed' | 'incomplete' | 'failed';
  /** Settings without effect in this cell, and why. */
  readonly notes: readonly string[];
  readonly runs: readonly CellRunSummary[];
}

/** The results of an ablation so far. `ablate --json` prints them, and `result.json` stores them. */
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
  /**
   * By cell with a `start`: the trained policy (`b`, the id of the cell) minus the start (`a`), corrected over these
   * differences.
   */
  readonly gains?: readonly CellComparison[];
  /** Main effects and interactions, for a full grid of two or more keys. */
  readonly effects?: readonly GridEffect[];
  /** Present if every cell is tested in several environments. */
  readonly transfer?: TransferSummary | undefined;
}

/** A cell's title, by its id. */
export function titleOf(cells: readonly CellSummary[], id: string): string {
  return cells.find((cell) => cell.id === id)?.title ?? id;
}

/** One cell for each training. Of cells that share runs, this is the cell tested on its training environment. */
export function trainedCells(cells: readonly CellSummary[]): readonly CellSummary[] {
  return cells.filter(({ trained, tested }) => trained === tested);
}
