import { newArray, type HostArray } from '../../operations/tensor.js';
import type { Variable } from './variable.js';

/** Where an engine keeps variables. All arrays are copies. */
export abstract class VariableStore {
  readonly #groups = new Map<string, readonly Variable[]>();

  /** @param group variables of one group are moved and resized together */
  addVariables(variables: readonly Variable[], group?: string): void {
    if (group !== undefined) this.#groups.set(group, variables);
  }

  /** Frees the memory. */
  removeVariables(variables: readonly Variable[]): void {
    for (const variable of variables) {
      if (variable.waiting === undefined) this.free(variable);
      variable.waiting = undefined;
    }
    for (const [group, members] of this.#groups) if (members === variables) this.#groups.delete(group);
  }

  /** Rows of a variable of width 1; those of bfloat16 as float32. */
  async read(variable: Variable, start: number, count: number): Promise<HostArray> {
    const { waiting } = variable;
    if (waiting === undefined) return this.readRows(variable, start, count);
    if ('zeroRows' in waiting) return zeros(variable, count);
    return waiting.slice(start, start + count);
  }

  /** Replaces rows of a variable of width 1. */
  async write(variable: Variable, data: HostArray, start: number): Promise<void> {
    const { waiting, rows } = variable;
    if (start === 0 && data.length === rows) {
      if (waiting === undefined) this.free(variable);
      variable.waiting = data.slice();
      return;
    }
    if (waiting === undefined) {
      await this.writeRows(variable, data, start);
      return;
    }
    const whole = 'zeroRows' in waiting ? zeros(variable, waiting.zeroRows) : waiting;
    whole.set(data, start);
    variable.waiting = whole;
  }

  /** Adds to a variable of float32. */
  async add(variable: Variable, data: Float32Array): Promise<void> {
    const { waiting } = variable;
    if (waiting === undefined) await this.addRows(variable, data);
    else if ('zeroRows' in waiting) variable.waiting = data.slice();
    else for (let index = 0; index < data.length; index += 1) waiting[index]! += data[index]!;
  }

  clear(variable: Variable): void {
    if (variable.waiting === undefined) this.zero(variable, variable.rows!);
    else variable.waiting = { zeroRows: variable.rows! };
  }

  /** Copies rows of every variable of a group, all at the same time. */
  copyRows(group: string, from: Int32Array, to: Int32Array): void {
    const variables = this.#groups.get(group)!;
    if (from.length > 0 && !hasNothing(variables)) this.copyInGroup(group, variables, from, to);
  }

  /** Gives every variable of a group another number of rows. All are 0 but those that are copied. */
  resize(group: string, rows: number, from: Int32Array, to: Int32Array): void {
    const variables = this.#groups.get(group)!;
    if (from.length > 0 && !hasNothing(variables)) {
      this.resizeGroup(group, variables, rows, from, to);
      return;
    }
    for (const variable of variables) {
      if (variable.waiting === undefined) this.free(variable);
      variable.waiting = { zeroRows: rows };
    }
  }

  /** Groups by name. */
  protected get groups(): ReadonlyMap<string, readonly Variable[]> {
    return this.#groups;
  }

  // What an engine does with variables that it has. Without a promise, it is done before whatever is asked next.

  protected abstract free(variable: Variable): void;
  protected abstract zero(variable: Variable, rows: number): void;
  protected abstract readRows(variable: Variable, start: number, count: number): Promise<HostArray>;
  protected abstract writeRows(variable: Variable, data: HostArray, start: number): Promise<void>;
  protected abstract addRows(variable: Variable, data: Float32Array): Promise<void>;
  protected abstract copyInGroup(group: string, variables: readonly Variable[], from: Int32Array, to: Int32Array): void;
  protected abstract resizeGroup(
    group: string,
    variables: readonly Variable[],
    rows: number,
    from: Int32Array,
    to: Int32Array,
  ): void;
}

/** The type of a variable's numbers in the memory of the process. */
export function hostType({ type }: Variable): Exclude<Variable['type'], 'bfloat16'> {
  return type === 'bfloat16' ? 'float32' : type;
}

function zeros(variable: Variable, rows: number): HostArray {
  return newArray(hostType(variable), rows * variable.width);
}

/** Whether all rows are 0. */
function hasNothing(variables: readonly Variable[]): boolean {
  return variables.every(({ waiting }) => waiting !== undefined && 'zeroRows' in waiting);
}
