import type { GraphVariable } from '../../lowering/tensorflow/lower-program.js';
import type { TensorFlowType } from '../../lowering/tensorflow/graph-def.js';
import type { BindingArray } from './binding.js';

/** Numbers that a session keeps, [rows, width]. */
export class Variable implements GraphVariable {
  readonly name: string;
  readonly type: TensorFlowType;
  readonly width: number;
  readonly rows: number | undefined;
  /**
   * Numbers that are still in the memory of the process, or zeros: they move into the session when a run needs them.
   * `undefined`: the session has them. Numbers of bfloat16 are float32 here, and those of int8 are uint8 with the same
   * bits.
   */
  waiting: BindingArray | { readonly zeroRows: number } | undefined;

  constructor(name: string, type: TensorFlowType, width: number, rows: number, hasFixedRows: boolean) {
    this.name = name;
    this.type = type;
    this.width = width;
    this.rows = hasFixedRows ? rows : undefined;
    this.waiting = { zeroRows: rows };
  }

  get handle(): string {
    return `${this.name}/handle`;
  }
}
