import type * as OnnxRuntime from 'onnxruntime-common';

import { lowerProgram, onnxInput, onnxOutput, type LoweredProgram } from '../lowering/lower-program.js';
import { elementTypeOf } from '../lowering/onnx-model.js';
import { OpenSizes } from '../lowering/open-sizes.js';
import { describeType, elementCount, sameShape } from '../operations/shapes.js';
import type { HostArray, Shape, TensorType } from '../operations/tensor.js';
import type { Executable, Executor, HostArrays, Program } from './executor.js';
import type { LoadedRuntime, Runtime } from './load-runtime.js';

/** ONNX Runtime on the CPU, native or as WebAssembly: one session for each program. */
export class OnnxRuntimeExecutor implements Executor {
  readonly engine: Executor['engine'];
  readonly version: string;
  readonly threads: number;
  readonly #runtime: Runtime;

  constructor({ runtime, engine, version }: LoadedRuntime, threads: number) {
    this.#runtime = runtime;
    this.engine = engine;
    this.version = version;
    this.threads = threads;
    if (engine === 'onnxruntime-web') runtime.env.wasm.numThreads = threads;
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
      // Softmax turns masked scores into denormal numbers, which slow processors down by up to ten times. The setting
      // applies to the thread that makes the process's first session and to threads that this thread starts later.
      extra: { session: { set_denormal_as_zero: '1' } },
    });
    return new OnnxRuntimeExecutable(this.#runtime, session, lowered, open);
  }
}

/** One named input of a run. */
interface Feed {
  readonly name: string;
  readonly onnxName: string;
  readonly type: TensorType['type'];
  readonly shapeAt: (sizes: { readonly [name: string]: number }) => Shape;
  /** Tensor of the last run. It is reused when the input is the same array. */
  last?: OnnxRuntime.Tensor;
}

class OnnxRuntimeExecutable implements Executable {
  readonly inputs: ReadonlyMap<string, TensorType>;
  readonly outputs: ReadonlyMap<string, TensorType>;
  readonly #runtime: Runtime;
  readonly #session: OnnxRuntime.InferenceSession;
  readonly #feeds: readonly Feed[];
  readonly #results: readonly (readonly [name: string, onnxName: string])[];

  constructor(
    runtime: Runtime,
    session: OnnxRuntime.InferenceSession,
    { inputs, outputs }: LoweredProgram,
    openSizes: OpenSizes,
  ) {
    this.#runtime = runtime;
    this.#session = session;
    this.inputs = inputs;
    this.outputs = outputs;
    this.#feeds = [...inputs].map(([name, { shape, type }]) => {
      return { name, onnxName: onnxInput(name), type, shapeAt: openSizes.resolver(shape) };
    });
    this.#results = [...outputs.keys()].map((name) => [name, onnxOutput(name)]);
  }

  async run(
    inputs: HostArrays,
    sizes: { readonly [name: string]: number } = {},
  ): Promise<{ readonly [name: string]: HostArray }> {
    const feeds: Record<string, OnnxRuntime.Tensor> = {};
    for (const feed of this.#feeds) feeds[feed.onnxName] = this.#tensor(feed, inputs[feed.name], sizes);
    const results = await this.#session.run(feeds);
    return Object.fromEntries(this.#results.map(([name, onnxName]) => [name, results[onnxName]?.data as HostArray]));
  }

  #tensor(feed: Feed, data: HostArray | undefined, sizes: { readonly [name: string]: number }): OnnxRuntime.Tensor {
    const { name, type, last } = feed;
    if (data === undefined) throw new Error(`input ${name} is missing`);
    const shape = feed.shapeAt(sizes);
    if (last?.data === data && sameShape(last.dims, shape)) return last;
    if (data.length !== elementCount(shape) || elementTypeOf(data) !== type) {
      throw new Error(
        `input ${name} must be ${describeType({ shape, type })}, not ${elementTypeOf(data)} of ${data.length}`,
      );
    }
    feed.last = new this.#runtime.Tensor(type, data, shape);
    return feed.last;
  }

  async dispose(): Promise<void> {
    await this.#session.release();
  }
}
