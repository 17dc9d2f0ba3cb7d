import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { encodeSavedModel, SERVE, TENSORFLOW_TYPES, type TensorFlowNode } from '../../lowering/tensorflow/graph-def.js';
import type { BindingArray, BindingType, TensorFlowBinding } from './binding.js';
import {
  moveNodes,
  sharedNodes,
  sharedTypes,
  variableNodes,
  VALUE,
  RANGE,
  MOVED_FROM,
  MOVED_TO,
} from './variable-nodes.js';
import type { Variable } from './variable.js';

/** What one input of a run gets. */
export interface Feed {
  readonly name: string;
  readonly type: BindingType;
  readonly shape: readonly number[];
  readonly data: BindingArray;
}

/** Nodes of the graph that belong together. */
export interface SessionPart {
  readonly nodes: readonly TensorFlowNode[];
}

/**
 * One session of TensorFlow, which holds all variables. The addon can only load whole graphs, and only programs of one
 * graph share variables. So a program that is new in a run, or a variable, makes a new graph with all of them: the
 * numbers move through the memory of the process, once.
 */
export class TensorFlowSession {
  readonly #binding: TensorFlowBinding;
  readonly #variables = new Set<Variable>();
  readonly #groups = new Map<string, readonly Variable[]>();
  readonly #parts = new Set<SessionPart>();
  #id: number | undefined;
  #loaded = new Set<Variable | SessionPart>();

  constructor(binding: TensorFlowBinding) {
    this.#binding = binding;
  }

  /** @param group variables of one group are moved and resized together */
  addVariables(variables: readonly Variable[], group?: string): void {
    for (const variable of variables) this.#variables.add(variable);
    if (group !== undefined) this.#groups.set(group, variables);
  }

  removeVariables(variables: readonly Variable[]): void {
    for (const variable of variables) {
      // Frees the memory now; the variable itself goes with the next graph.
      if (variable.waiting === undefined) this.#zero(variable, 0);
      variable.waiting = undefined;
      this.#variables.delete(variable);
    }
    for (const [group, members] of this.#groups) if (members === variables) this.#groups.delete(group);
  }

  addPart(part: SessionPart): void {
    this.#parts.add(part);
  }

  removePart(part: SessionPart): void {
    this.#parts.delete(part);
  }

  /** Runs a part of the graph. Returns the values of `outputs`. */
  run(
    part: SessionPart,
    variables: readonly Variable[],
    feeds: readonly Feed[],
    outputs: readonly string[],
  ): BindingArray[] {
    if (!this.#loaded.has(part)) this.#load();
    for (const variable of variables) this.#settle(variable);
    return this.#run(feeds, outputs);
  }

  /** A copy of rows of a variable of width 1, as float32 or of its own type. */
  read(variable: Variable, start: number, count: number): BindingArray {
    const { waiting } = variable;
    if (waiting === undefined) return this.#take([this.#range(start, count)], `${variable.name}/part`);
    if ('zeroRows' in waiting) return newArray(variable, count);
    return waiting.slice(start, start + count);
  }

  /** Replaces rows of a variable of width 1. The numbers are copied. */
  write(variable: Variable, data: BindingArray, start: number): void {
    const { waiting, rows } = variable;
    if (start === 0 && data.length === rows) {
      variable.waiting = data.slice();
      return;
    }
    if (waiting === undefined) {
      this.#run([this.#value(variable, data), this.#range(start, data.length)], [`${variable.name}/write`]);
      return;
    }
    const whole = 'zeroRows' in waiting ? newArray(variable, waiting.zeroRows) : waiting;
    whole.set(data, start);
    variable.waiting = whole;
  }

  /** Adds to a variable of float32. */
  add(variable: Variable, data: Float32Array): void {
    const { waiting } = variable;
    if (waiting === undefined) this.#run([this.#value(variable, data)], [`${variable.name}/add`]);
    else if ('zeroRows' in waiting) variable.waiting = data.slice();
    else for (let index = 0; index < data.length; index += 1) waiting[index]! += data[index]!;
  }

  clear(variable: Variable): void {
    if (variable.waiting === undefined) this.#zero(variable, variable.rows!);
    else variable.waiting = { zeroRows: variable.rows! };
  }

  /** Copies rows of every variable of a group, all at the same time. */
  copyRows(group: string, from: Int32Array, to: Int32Array): void {
    if (this.#hasNothing(group)) return;
    this.#run(moves(from, to), [`${group}/copied`]);
  }

  /** Gives every variable of a group another number of rows. All are 0 but those that are copied. */
  resize(group: string, rows: number, from: Int32Array, to: Int32Array): void {
    if (from.length === 0 || this.#hasNothing(group)) {
      for (const variable of this.#groups.get(group)!) {
        if (variable.waiting === undefined) this.#zero(variable, 0);
        variable.waiting = { zeroRows: rows };
      }
      return;
    }
    this.#run([...moves(from, to), this.#range(0, rows)], [`${group}/resized`]);
  }

  dispose(): void {
    if (this.#id !== undefined) this.#binding.deleteSavedModel(this.#id);
    this.#id = undefined;
    this.#loaded.clear();
  }

  /** Whether all rows of a group are 0. */
  #hasNothing(group: string): boolean {
    return this.#groups.get(group)!.every(({ waiting }) => waiting !== undefined && 'zeroRows' in waiting);
  }

  #range(start: number, count: number): Feed {
    return { name: RANGE, type: 'int32', shape: [2], data: Int32Array.of(start, count) };
  }

  #value({ type, width }: Variable, data: BindingArray): Feed {
    const given = sharedTypes(type);
    return { name: VALUE[given], type: given, shape: [data.length / width, width], data };
  }

  #zero(variable: Variable, rows: number): void {
    this.#run([this.#range(0, rows)], [`${variable.name}/zero`]);
  }

  /** Numbers of a variable. */
  #take(feeds: readonly Feed[], output: string): BindingArray {
    const [numbers] = this.#run(feeds, [output]) as [BindingArray];
    return numbers instanceof Int32Array ? Uint8Array.from(numbers) : numbers;
  }

  /** Moves numbers into the session. */
  #settle(variable: Variable): void {
    const { waiting } = variable;
    if (waiting === undefined) return;
    const rows = 'zeroRows' in waiting ? waiting.zeroRows : waiting.length / variable.width;
    this.#zero(variable, rows);
    // Copied, not assigned: the memory of the process must not become that of the variable, because it can be let go only
    // on this thread.
    if (!('zeroRows' in waiting)) {
      this.#run([this.#value(variable, waiting), this.#range(0, rows)], [`${variable.name}/write`]);
    }
    variable.waiting = undefined;
  }

  /** Makes the graph of all variables and parts. */
  #load(): void {
    const before = this.#id;
    for (const variable of this.#loaded.keys()) {
      if (!this.#variables.has(variable as Variable)) continue;
      const moved = variable as Variable;
      if (moved.waiting === undefined) moved.waiting = this.#take([], `${moved.name}/whole`);
    }
    if (before !== undefined) this.#binding.deleteSavedModel(before);
    this.#id = undefined;
    const nodes = [
      ...sharedNodes(),
      ...[...this.#variables].flatMap((variable) => variableNodes(variable)),
      ...[...this.#groups].flatMap(([group, variables]) => moveNodes(group, variables)),
      ...[...this.#parts].flatMap((part) => part.nodes),
    ];
    const folder = mkdtempSync(join(tmpdir(), 'agentgym-graph-'));
    try {
      writeFileSync(join(folder, 'saved_model.pb'), encodeSavedModel(nodes));
      this.#id = this.#binding.loadSavedModel(folder, SERVE);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    this.#loaded = new Set<Variable | SessionPart>([...this.#variables, ...this.#parts]);
  }

  #run(feeds: readonly Feed[], outputs: readonly string[]): BindingArray[] {
    const binding = this.#binding;
    const tensors: number[] = [];
    const results: number[] = [];
    try {
      for (const { shape, type, data } of feeds)
        tensors.push(binding.createTensor(shape, TENSORFLOW_TYPES[type], data));
      const names = feeds.map(({ name }) => `${name}:0`).join(',');
      const found = binding.runSavedModel(this.#id!, tensors, names, outputs.map((name) => `${name}:0`).join(','));
      results.push(...found.map(({ id }) => id));
      return results.map((id) => binding.tensorDataSync(id));
    } finally {
      for (const id of [...tensors, ...results]) binding.deleteTensor(id);
    }
  }
}

function moves(from: Int32Array, to: Int32Array): Feed[] {
  return [
    { name: MOVED_FROM, type: 'int32', shape: [from.length], data: from },
    { name: MOVED_TO, type: 'int32', shape: [to.length], data: to },
  ];
}

function newArray({ type, width }: Variable, rows: number): BindingArray {
  return sharedTypes(type) === 'uint8' ? new Uint8Array(rows * width) : new Float32Array(rows * width);
}
