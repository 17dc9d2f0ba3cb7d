import type * as OnnxRuntime from 'onnxruntime-common';

import {
  DEVICE_APPEND_ROWS,
  DEVICE_NUMBERS,
  deviceChange,
  deviceVariable,
  lowerDeviceProgram,
  type DeviceModel,
} from '../../lowering/onnx/lower-device-program.js';
import { onnxInput, onnxOutput } from '../../lowering/onnx/model-writer.js';
import type { ProgramPlaces } from '../../lowering/places.js';
import type { HostArray, Shape } from '../../operations/tensor.js';
import type { Executable, Program } from '../executor.js';
import type { LoadedRuntime, Runtime } from '../load-runtime.js';
import { BoundExecutable, type BoundRun } from '../variables/bound-executable.js';
import { VariableExecutor } from '../variables/variable-executor.js';
import type { VariableState } from '../variables/variable-state.js';
import type { Variable } from '../variables/variable.js';
import type { Located } from '../variables/view.js';
import { DeviceStore } from './device-store.js';

/**
 * ONNX Runtime on a device through WebGPU. State is tensors that stay there; a run returns new ones where it changes
 * state, and the numbers that were asked for.
 */
export class DeviceExecutor extends VariableExecutor {
  readonly engine = 'webgpu';
  readonly version: string;
  readonly threads = 1;
  protected readonly store: DeviceStore;
  readonly #runtime: Runtime;

  constructor({ runtime, version }: Pick<LoadedRuntime, 'runtime' | 'version'>) {
    // A tensor without elements ends the process: ONNX Runtime 1.30, Slice and MatMul on WebGPU.
    super({ allowsEmptyCache: false });
    this.#runtime = runtime;
    this.version = version;
    this.store = new DeviceStore(runtime, this.engine);
  }

  /** Throws: there is no bfloat16, and no way to reach the bits of a number. */
  override allocateRounded(): VariableState<'bfloat16'> {
    throw new Error(`the engine ${this.engine} keeps moments as float32 only: leave out stateDtype`);
  }

  compile(program: Program): Promise<Executable> {
    return Promise.resolve(new DeviceExecutable(this.#runtime, this.store, this.engine, program));
  }

  dispose(): Promise<void> {
    return this.store.dispose();
  }
}

interface Instance extends Omit<DeviceModel<Variable>, 'model'> {
  readonly session: OnnxRuntime.InferenceSession;
  readonly variables: readonly Variable[];
}

class DeviceExecutable extends BoundExecutable<Instance> {
  readonly #runtime: Runtime;
  readonly #store: DeviceStore;
  readonly #provider: string;

  constructor(runtime: Runtime, store: DeviceStore, provider: string, program: Program) {
    super(program);
    this.#runtime = runtime;
    this.#store = store;
    this.#provider = provider;
  }

  protected async instantiate(
    _: number,
    places: ProgramPlaces<Located>,
    variables: readonly Variable[],
  ): Promise<Instance> {
    const { model, reads, changes } = lowerDeviceProgram(this.tensors, places, this.openSizes);
    const session = await this.#runtime.InferenceSession.create(model, {
      executionProviders: [this.#provider],
      graphOptimizationLevel: 'all',
      preferredOutputLocation: Object.fromEntries([
        ...[...this.outputs.keys()].map((name) => [onnxOutput(name), 'cpu'] as const),
        ...changes.map(({ name }) => [deviceChange(name), 'gpu-buffer'] as const),
      ]),
      logSeverityLevel: 3,
    });
    return { session, reads, changes, variables };
  }

  protected async compute(
    { session, reads, changes, variables }: Instance,
    { inputs, numbers, appendRows }: BoundRun,
  ): Promise<{ readonly [name: string]: HostArray }> {
    const tensors = await this.#store.tensors(variables);
    const feeds: Record<string, OnnxRuntime.Tensor> = { [DEVICE_NUMBERS]: this.#integers(numbers, [numbers.length]) };
    for (const { name, type, shape, data } of inputs) {
      feeds[onnxInput(name)] = new this.#runtime.Tensor(type, data, shape);
    }
    for (const variable of reads) feeds[deviceVariable(variable.name)] = tensors.get(variable)!;
    if (appendRows) feeds[DEVICE_APPEND_ROWS] = this.#integers(appendRows, [appendRows.length, 1]);
    const results = await session.run(feeds);
    for (const variable of changes) this.#store.replace(variable, results[deviceChange(variable.name)]!, session);
    return Object.fromEntries(
      [...this.outputs.keys()].map((name) => [name, results[onnxOutput(name)]!.data as HostArray]),
    );
  }

  protected free({ session }: Instance): Promise<void> {
    return this.#store.release(session);
  }

  #integers(values: Int32Array, shape: Shape): OnnxRuntime.Tensor {
    return new this.#runtime.Tensor('int64', BigInt64Array.from(values, BigInt), shape);
  }
}
