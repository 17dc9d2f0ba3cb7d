import type * as OnnxRuntime from 'onnxruntime-node';

import { lowerProgram, onnxInput, onnxOutput, type LoweredProgram } from '../lowering/lower-program.js';
import { elementTypeOf } from '../lowering/onnx-model.js';
import { OpenSizes } from '../lowering/open-sizes.js';
import { describeType, elementCount } from '../operations/shapes.js';
import type { HostArray, TensorType } from '../operations/tensor.js';
import type { Executable, Executor, HostArrays, Program } from './executor.js';

/** What the native package and the WebAssembly one have in common. */
export type Runtime = Pick<typeof OnnxRuntime, 'InferenceSession' | 'Tensor' | 'env'>;

export interface OnnxRuntimeOptions {
  readonly engine: Executor['engine'];
  readonly threads: number;
}

/** ONNX Runtime on the CPU, native or as WebAssembly: one session for each program. */
export class OnnxRuntimeExecutor implements Executor {
  readonly engine: Executor['engine'];
  readonly version: string;
  readonly threads: number;
  readonly #runtime: Runtime;

  constructor(runtime: Runtime, { engine, threads }: OnnxRuntimeOptions) {
    this.#runtime = runtime;
    this.engine = engine;
    this.threads = threads;
    const { versions } = runtime.env;
    this.version = (engine === 'onnxruntime-node' ? versions.node : versions.web) ?? versions.common;
  }

  async compile({ outputs, initializers, openSizes }: Program): Promise<Executable> {
    const open = new OpenSizes(openSizes);
    const lowered = lowerProgram(outputs, initializers, open);
    const session = await this.#runtime.InferenceSession.create(lowered.model, {
      executionProviders: [this.engine === 'onnxruntime-node' ? 'cpu' : 'wasm'],
      graphOptimizationLevel: 'all',
      executionMode: 'sequential',
      intraOpNumThreads: this.threads,
      interOpNumThreads: 1,
      logSeverityLevel: 3,
      // Masked scores leave softmax as denormal numbers, on which processors are up to ten times slower. Holds for the thread that makes the process's first
      // session and for threads that it starts later.
      extra: { session: { set_denormal_as_zero: '1' } },
    });
    return new OnnxRuntimeExecutable(this.#runtime, session, lowered, open);
  }
}

class OnnxRuntimeExecutable implements Executable {
  readonly inputs: ReadonlyMap<string, TensorType>;
  readonly outputs: ReadonlyMap<string, TensorType>;
  readonly #runtime: Runtime;
  readonly #session: OnnxRuntime.InferenceSession;

  readonly #openSizes: OpenSizes;

  constructor(
    runtime: Runtime,
    session: OnnxRuntime.InferenceSession,
    { inputs, outputs }: LoweredProgram,
    openSizes: OpenSizes,
  ) {
    this.#openSizes = openSizes;
    this.#runtime = runtime;
    this.#session = session;
    this.inputs = inputs;
    this.outputs = outputs;
  }

  async run(
    inputs: HostArrays,
    sizes: { readonly [name: string]: number } = {},
  ): Promise<{ readonly [name: string]: HostArray }> {
    const feeds: Record<string, OnnxRuntime.Tensor> = {};
    for (const [name, type] of this.inputs) {
      const data = inputs[name];
      if (data === undefined) throw new Error(`input ${name} is missing`);
      const shape = this.#openSizes.resolve(type.shape, sizes);
      if (data.length !== elementCount(shape) || elementTypeOf(data) !== type.type) {
        throw new Error(
          `input ${name} is ${elementTypeOf(data)} of ${data.length}, not ${describeType({ shape, type: type.type })}`,
        );
      }
      feeds[onnxInput(name)] = new this.#runtime.Tensor(type.type, data, shape);
    }
    const results = await this.#session.run(feeds);
    return Object.fromEntries(
      [...this.outputs.keys()].map((name) => [name, results[onnxOutput(name)]?.data as HostArray]),
    );
  }

  async dispose(): Promise<void> {
    await this.#session.release();
  }
}
