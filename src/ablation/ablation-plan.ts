import type { Json } from '../contracts/json.js';

/** Keys of a recipe, such as `algorithm.groupSize`, with the values that a cell sets. */
export type CellSettings = { readonly [path: string]: Json };

/** One combination of varied settings. */
export interface CellPlan {
  /** Letters, digits, dots and hyphens; the name of its folder. */
  readonly id: string;
  /** Name shown to people. Absent: the id. */
  readonly title?: string | undefined;
  readonly settings: CellSettings;
  /** In a grid, the name of its value of each key, such as `groupSize 8`. */
  readonly levels?: { readonly [key: string]: string };
}

/** The question of an ablation and its cells, before any recipe is resolved. */
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
   * Names from `evaluation.final.transfer` in the recipes of all cells. Each cell is tested on each of these
   * environments and compared with the cell of that name, which trained there. Absent: each cell is tested on its own
   * environment, and `compare` selects the comparisons.
   */
  readonly tests?: readonly string[] | undefined;
}
