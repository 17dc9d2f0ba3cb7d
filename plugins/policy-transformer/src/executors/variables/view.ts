import type { Place } from '../../lowering/places.js';
import type { StateView } from '../state.js';
import type { Variable } from './variable.js';

/** Where a view finds arrays: rows of a variable. */
export interface Located extends Place<Variable> {
  /** The first row. It may differ from run to run if `start` is `undefined`. */
  readonly row: number;
}

/** A view on variables. */
export interface VariableView extends StateView {
  /** @param names of adjacent arrays. Throws if they are not adjacent. */
  locate(names: readonly string[]): Located;
  /** Numbers of these arrays. */
  count(names: readonly string[]): number;
}
