import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { encodeSavedModel, SERVE, TENSORFLOW_TYPES, type TensorFlowNode } from '../../lowering/tensorflow/graph-def.js';
import type { HostArray } from '../../operations/tensor.js';
import { hostType, VariableStore } from '../variables/variable-store.js';
import type { Variable } from '../variables/variable.js';
import type { BindingArray, BindingType, TensorFlowBinding } from './binding.js';
import {
  MOVED_FROM,
  MOVED_TO,
  moveNodes,
  RANGE,
  sharedNodes,
  sharedType,
  VALUE,
  variableNodes,
} from './variable-nodes.js';

/** What one input of a run gets. */
export interface Feed {
  readonly name: string;
  readonly type: BindingType;
  readonly shape: readonly number[];
  readonly data: BindingArray;
}

/** Nodes of the graph that belong together. */
interface SessionPart {
  readonly nodes: readonly TensorFlowNode[];
  /** What they need. */
  readonly variables: readonly Variable[];
  readonly changed: ReadonlySet<Variable>;
  /** Names of the variables whose copies in bfloat16 they need. */
  readonly halves: ReadonlySet<string>;
}

/**
 * One session of TensorFlow, which holds all variables. The addon can only load whole graphs, and only programs of one
 * graph share variables. So a program or a variable that is new in a run makes a new graph with all of them: the numbers
 * move through the memory of the process, once.
 */
export class TensorFlowSession extends VariableStore {
  readonly #binding: TensorFlowBinding;
  readonly #variables = new Set<Variable>();
  readonly #parts = new Set<SessionPart>();
  #id: number | undefined;
  #loaded = new Set<Variable | SessionPart>();
  /** Variables whose copies in bfloat16 have their present numbers. */
  readonly #rounded = new Set<Variable>();

  constructor(binding: TensorFlowBinding) {
    super();
    this.#binding = binding;
  }

  override addVariables(variables: readonly Variable[], group?: string): void {
    super.addVariables(variables, group);
    for (const variable of variables) this.#variables.add(variable);
  }

  override removeVariables(variables: readonly Variable[]): void {
    super.removeVariables(variables);
    for (const variable of variables) {
      this.#variables.delete(variable);
      this.#rounded.delete(variable);
    }
  }

  addPart(part: SessionPart): void {
    this.#parts.add(part);
  }

  removePart(part: SessionPart): void {
    this.#parts.delete(part);
  }

  /** Runs a part of the graph. Returns the values of `outputs`. */
  run(part: SessionPart, feeds: readonly Feed[], outputs: readonly string[]): BindingArray[] {
    if (!this.#loaded.has(part)) this.#load();
    for (const variable of part.variables) {
      this.#settle(variable);
      if (part.halves.has(variable.name)) this.#round(variable);
    }
    for (const variable of part.changed) this.#rounded.delete(variable);
    return this.#run(feeds, outputs);
  }

  dispose(): void {
    if (this.#id !== undefined) this.#binding.deleteSavedModel(this.#id);
    this.#id = undefined;
    this.#loaded.clear();
    this.#rounded.clear();
  }

  protected free(variable: Variable): void {
    const hasCopy = this.#rounded.has(variable);
    this.zero(variable, 0);
    if (hasCopy) this.#run([], [`${variable.name}/round`]);
  }

  protected zero(variable: Variable, rows: number): void {
    this.#rounded.delete(variable);
    this.#run([range(0, rows)], [`${variable.name}/zero`]);
  }

  protected readRows(variable: Variable, start: number, count: number): Promise<HostArray> {
    return Promise.resolve(this.#take(variable, [range(start, count)], 'part'));
  }

  protected writeRows(variable: Variable, data: HostArray, start: number): Promise<void> {
    this.#write(variable, data, start);
    return Promise.resolve();
  }

  protected addRows(variable: Variable, data: Float32Array): Promise<void> {
    this.#rounded.delete(variable);
    this.#run([value(variable, data)], [`${variable.name}/add`]);
    return Promise.resolve();
  }

  protected copyInGroup(group: string, _: readonly Variable[], from: Int32Array, to: Int32Array): void {
    this.#run(moves(from, to), [`${group}/copied`]);
  }

  protected resizeGroup(group: string, _: readonly Variable[], rows: number, from: Int32Array, to: Int32Array): void {
    this.#run([...moves(from, to), range(0, rows)], [`${group}/resized`]);
  }

  #write(variable: Variable, data: HostArray, start: number): void {
    this.#rounded.delete(variable);
    this.#run([value(variable, data), range(start, data.length / variable.width)], [`${variable.name}/write`]);
  }

  #take(variable: Variable, feeds: readonly Feed[], which: 'whole' | 'part'): HostArray {
    const [numbers] = this.#run(feeds, [`${variable.name}/${which}`]) as [BindingArray];
    switch (hostType(variable)) {
      case 'int8':
        return Int8Array.from(numbers);
      case 'uint8':
        return Uint8Array.from(numbers);
      default:
        return numbers;
    }
  }

  /** Moves numbers into the session. */
  #settle(variable: Variable): void {
    const { waiting } = variable;
    if (waiting === undefined) return;
    if ('zeroRows' in waiting) this.zero(variable, waiting.zeroRows);
    else {
      this.#rounded.delete(variable);
      this.#run([value(variable, waiting)], [`${variable.name}/replace`]);
    }
    variable.waiting = undefined;
  }

  #round(variable: Variable): void {
    if (this.#rounded.has(variable)) return;
    this.#run([], [`${variable.name}/round`]);
    this.#rounded.add(variable);
  }

  /** Makes the graph of all variables and parts. */
  #load(): void {
    for (const variable of this.#variables) {
      if (this.#loaded.has(variable) && variable.waiting === undefined) {
        variable.waiting = this.#take(variable, [], 'whole');
      }
    }
    this.dispose();
    const halves = new Set([...this.#parts].flatMap((part) => [...part.halves]));
    const nodes = [
      ...sharedNodes(),
      ...[...this.#variables].flatMap((variable) => variableNodes(variable, halves.has(variable.name))),
      ...[...this.groups].flatMap(([group, variables]) => moveNodes(group, variables)),
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
      const names = feeds.map(({ name }) => `${name}:0`).join();
      const found = binding.runSavedModel(this.#id!, tensors, names, outputs.map((name) => `${name}:0`).join());
      results.push(...found.map(({ id }) => id));
      return results.map((id) => binding.tensorDataSync(id));
    } finally {
      for (const id of [...tensors, ...results]) binding.deleteTensor(id);
    }
  }
}

function range(start: number, count: number): Feed {
  return { name: RANGE, type: 'int32', shape: [2], data: Int32Array.of(start, count) };
}

function value({ type, width }: Variable, data: HostArray): Feed {
  const given = sharedType(type);
  // The addon knows no Int8Array.
  const bits = data instanceof Int8Array ? new Uint8Array(data.buffer, data.byteOffset, data.length) : data;
  return { name: VALUE[given], type: given, shape: [data.length / width, width], data: bits };
}

function moves(from: Int32Array, to: Int32Array): Feed[] {
  return [
    { name: MOVED_FROM, type: 'int32', shape: [from.length], data: from },
    { name: MOVED_TO, type: 'int32', shape: [to.length], data: to },
  ];
}
