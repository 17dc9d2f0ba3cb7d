import type { Json } from '../contracts/json.js';

/** Keys of a recipe, such as `algorithm.groupSize`, and what a cell sets them to. */
export type CellSettings = { readonly [path: string]: Json };

/** A point of what is varied. */
export interface CellPlan {
  /** Letters, digits, dots and hyphens; the name of its folder. */
  readonly id: string;
  /** What people read in its place; absent: the id. */
  readonly title?: string;
  readonly settings: CellSettings;
  /** Of a grid: what its value of each key is called, such as `groupSize 8`. */
  readonly levels?: { readonly [key: string]: string };
}

/** What is to be found out, before any recipe is resolved. */
export interface AblationPlan {
  readonly name: string;
  /** The named axis, or `grid` if a file defines the variations. */
  readonly axis: string;
  readonly question: string;
  readonly cells: readonly CellPlan[];
  /** Id of the cell that the others are compared with. */
  readonly reference: string;
  readonly compare: 'reference' | 'all';
  /**
   * Names of `evaluation.final.transfer` in the recipes of all cells: each cell is tested on each, and compared with
   * the cell of that name, which trained there. Absent: a cell is tested on its own environment, and compared as
   * `compare` says.
   */
  readonly tests?: readonly string[];
}
