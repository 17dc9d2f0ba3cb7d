import type { PlacedVariable } from '../../lowering/places.js';
import type { HostArray } from '../../operations/tensor.js';

/** Numbers in the memory of the process that an engine does not have yet. */
export type Waiting = HostArray | { readonly zeroRows: number };

/** Numbers that an engine keeps, [rows, width]. */
export class Variable implements PlacedVariable {
  readonly name: string;
  readonly type: PlacedVariable['type'];
  readonly width: number;
  readonly rows: number | undefined;
  /**
   * Numbers that are still in the memory of the process, or zeros: they move to the engine when a run needs them.
   * `undefined`: the engine has them. Numbers of bfloat16 are float32 here.
   */
  waiting: Waiting | undefined;

  /** @param hasFixedRows whether the number of rows never changes */
  constructor(name: string, type: PlacedVariable['type'], width: number, rows: number, hasFixedRows: boolean) {
    this.name = name;
    this.type = type;
    this.width = width;
    this.rows = hasFixedRows ? rows : undefined;
    this.waiting = { zeroRows: rows };
  }
}
