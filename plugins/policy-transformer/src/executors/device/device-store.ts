import type * as OnnxRuntime from 'onnxruntime-common';

import { encodeModel, type OnnxNode, type OnnxValue } from '../../lowering/onnx/onnx-model.js';
import { newArray, type HostArray } from '../../operations/tensor.js';
import type { Runtime } from '../load-runtime.js';
import { hostType, VariableStore } from '../variables/variable-store.js';
import type { Variable } from '../variables/variable.js';

type Tensor = OnnxRuntime.Tensor;
type Session = OnnxRuntime.InferenceSession;

/** Small models that do one thing with variables. */
const MODELS = {
  /** From the memory of the process to the device, or back. */
  copy: { inputs: ['of'], nodes: [node('Identity', ['of'])] },
  zeros: { inputs: ['shape'], nodes: [node('ConstantOfShape', ['shape'])] },
  part: { inputs: ['of', 'start', 'end'], nodes: [node('Slice', ['of', 'start', 'end', 'axes'])] },
  add: { inputs: ['of', 'more'], nodes: [node('Add', ['of', 'more'])] },
  /** Rows `from` of one tensor to rows `to` of another. */
  move: {
    inputs: ['of', 'from', 'into', 'to'],
    nodes: [
      { ...node('Gather', ['of', 'from']), outputs: ['moved'], attributes: { axis: 0 } },
      node('ScatterND', ['into', 'to', 'moved']),
    ],
  },
} as const;

function node(operator: string, inputs: readonly string[]): OnnxNode {
  return { operator, domain: '', inputs, outputs: ['out'], attributes: {} };
}

type ModelName = keyof typeof MODELS;

/**
 * Variables as tensors that stay on a device. A change is a new tensor. What is asked for without a promise is done before
 * the next run, in order.
 */
export class DeviceStore extends VariableStore {
  readonly #runtime: Runtime;
  readonly #provider: string;
  readonly #tensors = new Map<Variable, Tensor>();
  readonly #makers = new Map<Variable, Session>();
  readonly #sessions = new Map<string, Promise<Session>>();
  #work: (() => Promise<void>)[] = [];

  constructor(runtime: Runtime, provider: string) {
    super();
    this.#runtime = runtime;
    this.#provider = provider;
  }

  /** The tensors of variables on the device, by variable. */
  async tensors(variables: readonly Variable[]): Promise<ReadonlyMap<Variable, Tensor>> {
    await this.#finish();
    for (const variable of variables) await this.#settle(variable);
    return this.#tensors;
  }

  /**
   * Gives a variable another tensor, which belongs to the store.
   * @param from the session that made it, if it is not one of the store
   */
  replace(variable: Variable, tensor: Tensor, from?: Session): void {
    const before = this.#tensors.get(variable);
    this.#tensors.set(variable, tensor);
    if (from) this.#makers.set(variable, from);
    else this.#makers.delete(variable);
    if (before !== tensor) before?.dispose();
  }

  /** Releases a session. Memory of its tensors ends with it, so those that are still needed are copied before. */
  async release(session: Session): Promise<void> {
    await this.#finish();
    for (const [variable, maker] of [...this.#makers]) {
      if (maker !== session) continue;
      const of = this.#tensors.get(variable);
      if (of !== undefined) this.replace(variable, await this.#run('copy', variable, { of }));
    }
    await session.release();
  }

  async dispose(): Promise<void> {
    this.#work = [];
    for (const tensor of this.#tensors.values()) tensor.dispose();
    this.#tensors.clear();
    for (const session of this.#sessions.values()) await (await session).release();
    this.#sessions.clear();
  }

  protected free(variable: Variable): void {
    this.#later(() => {
      this.#tensors.get(variable)?.dispose();
      this.#tensors.delete(variable);
      this.#makers.delete(variable);
      return Promise.resolve();
    });
  }

  protected zero(variable: Variable, rows: number): void {
    this.#later(async () => this.replace(variable, await this.#zeros(variable, rows)));
  }

  protected async readRows(variable: Variable, start: number, count: number): Promise<HostArray> {
    await this.#finish();
    const of = this.#tensors.get(variable)!;
    if (of.location === 'cpu') return (of.data as HostArray).slice(start, start + count);
    const range = { start: this.#integers([start]), end: this.#integers([start + count]) };
    const part = await this.#run('part', variable, { of, ...range }, 'cpu');
    return part.data as HostArray;
  }

  protected async writeRows(variable: Variable, data: HostArray, start: number): Promise<void> {
    // Writes come in many parts, before anything runs: the numbers wait in the memory of the process.
    const whole = await this.readRows(variable, 0, variable.rows!);
    whole.set(data, start);
    this.free(variable);
    variable.waiting = whole;
  }

  protected async addRows(variable: Variable, data: Float32Array): Promise<void> {
    await this.#finish();
    const more = this.#hosted(variable, data);
    this.replace(variable, await this.#run('add', variable, { of: this.#tensors.get(variable)!, more }));
  }

  protected copyInGroup(_: string, variables: readonly Variable[], from: Int32Array, to: Int32Array): void {
    this.#later(async () => {
      for (const variable of variables) await this.#move(variable, from, to, this.#tensors.get(variable)!);
    });
  }

  protected resizeGroup(
    _: string,
    variables: readonly Variable[],
    rows: number,
    from: Int32Array,
    to: Int32Array,
  ): void {
    this.#later(async () => {
      for (const variable of variables) {
        const zeros = await this.#zeros(variable, rows);
        await this.#move(variable, from, to, zeros);
        zeros.dispose();
      }
    });
  }

  #later(work: () => Promise<void>): void {
    this.#work.push(work);
  }

  async #finish(): Promise<void> {
    for (let next = this.#work.shift(); next !== undefined; next = this.#work.shift()) await next();
  }

  /** Moves numbers to the device. */
  async #settle(variable: Variable): Promise<void> {
    const { waiting } = variable;
    if (waiting === undefined) return;
    const tensor =
      'zeroRows' in waiting
        ? await this.#zeros(variable, waiting.zeroRows)
        : isHosted(variable)
          ? this.#hosted(variable, waiting)
          : await this.#run('copy', variable, { of: this.#hosted(variable, waiting) });
    this.replace(variable, tensor);
    variable.waiting = undefined;
  }

  async #move(variable: Variable, from: Int32Array, to: Int32Array, into: Tensor): Promise<void> {
    const rows = { from: this.#integers(from), to: this.#integers(to, [to.length, 1]) };
    this.replace(variable, await this.#run('move', variable, { of: this.#tensors.get(variable)!, into, ...rows }));
  }

  #zeros(variable: Variable, rows: number): Promise<Tensor> {
    if (isHosted(variable)) {
      return Promise.resolve(this.#hosted(variable, newArray(hostType(variable), rows * variable.width)));
    }
    return this.#run('zeros', variable, { shape: this.#integers([rows, variable.width]) });
  }

  #hosted(variable: Variable, data: HostArray): Tensor {
    return new this.#runtime.Tensor(hostType(variable), data, [data.length / variable.width, variable.width]);
  }

  #integers(values: ArrayLike<number>, shape = [values.length]): Tensor {
    return new this.#runtime.Tensor('int64', BigInt64Array.from(Array.from(values), BigInt), shape);
  }

  async #run(
    name: ModelName,
    variable: Variable,
    feeds: { readonly [name: string]: Tensor },
    to: 'gpu-buffer' | 'cpu' = 'gpu-buffer',
  ): Promise<Tensor> {
    const session = await this.#session(name, variable, to);
    return (await session.run(feeds))['out']!;
  }

  #session(name: ModelName, variable: Variable, to: 'gpu-buffer' | 'cpu'): Promise<Session> {
    const type = hostType(variable);
    const key = `${name} ${type} ${to}`;
    const known = this.#sessions.get(key);
    if (known) return known;
    const { inputs, nodes } = MODELS[name];
    const numbers: OnnxValue = { shape: ['rows', 'width'], type };
    const integers: OnnxValue = { shape: ['n'], type: 'int64' };
    const types: { readonly [input: string]: OnnxValue } = {
      of: numbers,
      more: numbers,
      into: { shape: ['others', 'width'], type },
      to: { shape: ['n', 1], type: 'int64' },
    };
    const model = encodeModel({
      nodes,
      initializers:
        name === 'part' ? [{ name: 'axes', dimensions: [1], type: 'int64', data: BigInt64Array.of(0n) }] : [],
      inputs: new Map(inputs.map((input) => [input, types[input] ?? integers])),
      outputs: new Map([['out', { shape: ['results', 'columns'], type }]]),
    });
    const session = this.#runtime.InferenceSession.create(model, {
      executionProviders: [this.#provider],
      preferredOutputLocation: to,
      logSeverityLevel: 3,
    });
    this.#sessions.set(key, session);
    return session;
  }
}

/** WebGPU has no buffers of 8 bits: each run gets these numbers anew. */
function isHosted({ type }: Variable): boolean {
  return type === 'int8' || type === 'uint8';
}
