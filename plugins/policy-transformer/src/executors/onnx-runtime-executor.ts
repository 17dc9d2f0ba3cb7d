import type * as OnnxRuntime from 'onnxruntime-common';

import { lowerProgram, type LoweredProgram } from '../lowering/onnx/lower-program.js';
import { onnxInput, onnxOutput, onnxState } from '../lowering/onnx/model-writer.js';
import { OpenSizes } from '../lowering/open-sizes.js';
import { describeType, elementCount, sameShape } from '../operations/shapes.js';
import { holdsType, type HostArray, type Shape, type Tensor, type TensorType } from '../operations/tensor.js';
import type { Executable, Executor, HostArrays, Program, RunOptions } from './executor.js';
import { HostCache } from './host-cache.js';
import { changeState, findState, ownerOf } from './host-changes.js';
import { HostConstants } from './host-constants.js';
import { HostRoundedState } from './host-rounded-state.js';
import { HostState, type HostView } from './host-state.js';
import type { LoadedRuntime, Runtime } from './load-runtime.js';
import type { CacheShape, StateView } from './state.js';
import { VectorExecutable } from './vector-executable.js';

/** How programs are best written for ONNX Runtime. */
export const ONNX_RUNTIME_FACTS = {
  /**
   * A single row takes another path through the engine's matrix products than several. Products are summed in groups of
   * eight, and an incomplete group rounds differently. The longest vector that softmax and products add up has 16
   * numbers. (onnxruntime/core/mlas/lib/x86_64/TransKernelAvx512F.S: one accumulator, vector by vector.) Few rows are the
   * columns of a turned product, whose sums are split in the same way for up to 16 columns. (onnxruntime/core/mlas/lib/
   * sgemm.cpp: MlasSgemmOperation doubles StrideK while StrideN can be halved, down to 16.)
   */
  rowRules: { leastRows: 2, mostFewRows: 16, widthMultiple: 8, capacityMultiple: 32, allowsEmptyCache: true },
  /**
   * The engine packs constants once, and a step of decoding is then up to a fifth faster. In large models, the second
   * copy and its compilation cost more than that saves.
   */
  mostFixedBytes: 100e6,
  /** While a session with constants is made, they exist in several copies, and its model is limited to 2 GB. */
  mostConstantBytes: 1e9,
  /** Results are small enough for the processor's caches. */
  vectorLength: 2 ** 16,
} as const satisfies Pick<Executor, 'rowRules' | 'mostFixedBytes' | 'mostConstantBytes' | 'vectorLength'>;

const PROVIDERS = { 'onnxruntime-node': 'cpu', 'onnxruntime-web': 'wasm', cuda: 'cuda' } as const;

/** Weights that stay on a GPU as constants. A model may have two gigabytes of them. */
const MOST_FIXED_ON_GPU = 1.5e9;

/**
 * ONNX Runtime on the CPU, native or as WebAssembly, or on a GPU through CUDA: one session for each program. State is in the memory of the
 * process. The binding reads it in place. Results that change state go where the state is, or to memory of their own, so
 * that no run leaves arrays behind.
 */
export class OnnxRuntimeExecutor implements Executor {
  readonly engine: keyof typeof PROVIDERS;
  readonly version: string;
  readonly threads: number;
  readonly rowRules = ONNX_RUNTIME_FACTS.rowRules;
  readonly mostFixedBytes: number;
  readonly mostConstantBytes = ONNX_RUNTIME_FACTS.mostConstantBytes;
  readonly readsRowByRow: boolean;
  readonly vectorLength = ONNX_RUNTIME_FACTS.vectorLength;
  readonly #runtime: Runtime;
  readonly #keepsMemory: boolean;

  /** @param returnsMemory see `ExecutorOptions` */
  constructor(
    {
      runtime,
      engine,
      version,
    }: Pick<LoadedRuntime, 'runtime' | 'version'> & { readonly engine: keyof typeof PROVIDERS },
    threads: number,
    returnsMemory = false,
  ) {
    this.#runtime = runtime;
    this.engine = engine;
    this.mostFixedBytes = engine === 'cuda' ? MOST_FIXED_ON_GPU : ONNX_RUNTIME_FACTS.mostFixedBytes;
    // Elsewhere the engine rearranges a transposed matrix even for one row. (onnxruntime/core/mlas/lib/sgemm.cpp:
    // MlasSgemmOperation, KernelM1TransposeBRoutine.)
    this.readsRowByRow = engine === 'onnxruntime-node' && process.arch === 'x64';
    this.version = version;
    this.threads = threads;
    this.#keepsMemory = !returnsMemory;
    if (engine === 'onnxruntime-web') runtime.env.wasm.numThreads = threads;
  }

  allocate(shapes: ReadonlyMap<string, Shape>, data?: Float32Array): HostState {
    return new HostState(shapes, data);
  }

  allocateRounded(shapes: ReadonlyMap<string, Shape>): HostRoundedState {
    return new HostRoundedState(shapes);
  }

  allocateConstants(types: ReadonlyMap<string, TensorType>): HostConstants {
    return new HostConstants(types);
  }

  allocateCache(shape: CacheShape): HostCache {
    return new HostCache(shape);
  }

  async compile({ outputs, assign = {}, add = {}, append = {}, fixed, openSizes }: Program): Promise<Executable> {
    if (this.engine !== 'cuda' && fixed === undefined) {
      const vectors = VectorExecutable.of({ outputs, assign, add, append }, openSizes ?? {});
      if (vectors !== undefined) return vectors;
    }
    const open = new OpenSizes(openSizes);
    const changes = { assign, add, append };
    const all = { ...outputs };
    for (const [kind, tensors] of Object.entries(changes)) {
      for (const [name, tensor] of Object.entries(tensors)) all[`${kind}:${name}`] = tensor;
    }
    const lowered = lowerProgram(all, fixed && (({ names }) => findState([fixed], names)), open);
    const session = await this.#runtime.InferenceSession.create(lowered.model, {
      executionProviders: [PROVIDERS[this.engine]],
      graphOptimizationLevel: 'all',
      executionMode: 'sequential',
      intraOpNumThreads: this.threads,
      interOpNumThreads: 1,
      enableCpuMemArena: this.#keepsMemory,
      // A plan for each shape saves a few percent of a small program's time, but needs one block as large as all that
      // the arena already has: little for programs that sample, whose weights are fixed, and much for those that train.
      enableMemPattern: this.#keepsMemory && fixed !== undefined,
      logSeverityLevel: 3,
      extra: {
        session: {
          // Softmax turns masked scores into denormal numbers, which slow processors down by up to ten times. The setting
          // applies to the thread that makes the process's first session and to threads that this thread starts later.
          set_denormal_as_zero: '1',
          // Each session has threads of its own. Those that wait actively for the next run take the processor from the
          // session that runs: decoding from int8, which alternates between two sessions, took 1.8 times as long.
          intra_op: { allow_spinning: '0' },
        },
      },
    });
    const inPlace = this.engine !== 'onnxruntime-web';
    return new OnnxRuntimeExecutable(this.#runtime, session, lowered, open, { outputs, ...changes }, inPlace);
  }

  /** Nothing: every session belongs to a program. */
  dispose(): Promise<void> {
    return Promise.resolve();
  }
}

type Named = { readonly [name: string]: Tensor };
const kinds = ['outputs', 'assign', 'add', 'append'] as const;
type Kind = (typeof kinds)[number];

/** One output of the session. */
interface Result {
  readonly kind: Kind;
  readonly name: string;
  readonly onnxName: string;
  readonly shapeAt: (sizes: { readonly [name: string]: number }) => Shape;
  /** Where its numbers go before the state changes. */
  own?: OnnxRuntime.Tensor;
}

/** One input of the session. */
interface Feed {
  /** For messages. */
  readonly name: string;
  readonly onnxName: string;
  readonly type: TensorType['type'];
  readonly shapeAt: (sizes: { readonly [name: string]: number }) => Shape;
  /** What has the numbers in a run, if the input is not one of the program. */
  readonly owner?: (state: readonly StateView[]) => HostView | undefined;
  readonly find: (inputs: HostArrays, owner: HostView | undefined) => HostArray | undefined;
  /** Tensor of the last run. It is reused when the input is the same array. */
  last?: OnnxRuntime.Tensor | undefined;
}

class OnnxRuntimeExecutable implements Executable {
  readonly inputs: ReadonlyMap<string, TensorType>;
  readonly outputs: ReadonlyMap<string, TensorType>;
  readonly #runtime: Runtime;
  readonly #session: OnnxRuntime.InferenceSession;
  readonly #feeds: readonly Feed[];
  /** What a run computes. */
  readonly #results: readonly Result[];
  /** Whether the library writes results where it is told to. */
  readonly #writesInPlace: boolean;

  constructor(
    runtime: Runtime,
    session: OnnxRuntime.InferenceSession,
    { inputs, states, outputs }: LoweredProgram,
    openSizes: OpenSizes,
    results: Readonly<Record<Kind, Named>>,
    writesInPlace: boolean,
  ) {
    this.#runtime = runtime;
    this.#session = session;
    this.#writesInPlace = writesInPlace;
    this.inputs = inputs;
    this.outputs = new Map(Object.keys(results.outputs).map((name) => [name, outputs.get(name)!]));
    this.#feeds = [
      ...[...inputs].map(([name, { shape, type }]) => ({
        name: `input ${name}`,
        onnxName: onnxInput(name),
        type,
        shapeAt: openSizes.resolver(shape),
        find: (given: HostArrays) => given[name],
      })),
      ...states.map((declared) => ({
        name: `state ${declared.names.join('+')}`,
        onnxName: onnxState(declared.names),
        type: declared.type,
        shapeAt: openSizes.resolver(declared.shape),
        owner: (state: readonly StateView[]) => ownerOf(state, declared.names[0]!),
        find: (_: HostArrays, owner: HostView | undefined) => owner?.view(declared.names),
      })),
    ];
    this.#results = kinds.flatMap((kind) =>
      Object.keys(results[kind]).map((name) => {
        const key = kind === 'outputs' ? name : `${kind}:${name}`;
        const shapeAt = openSizes.resolver(outputs.get(key)!.shape);
        return { kind, name, onnxName: onnxOutput(key), shapeAt };
      }),
    );
  }

  async run(inputs: HostArrays, options: RunOptions = {}): Promise<{ readonly [name: string]: HostArray }> {
    const { sizes = {}, state = [] } = options;
    const feeds: Record<string, OnnxRuntime.Tensor> = {};
    for (const feed of this.#feeds) {
      const owner = feed.owner?.(state);
      const tensor = this.#tensor(feed, feed.find(inputs, owner), sizes);
      feeds[feed.onnxName] = tensor;
      // The next run finds the same array, unless it is a copy.
      feed.last = owner?.assign ? undefined : tensor;
    }
    const places: Record<string, OnnxRuntime.Tensor | null> = {};
    for (const result of this.#results) places[result.onnxName] = this.#place(result, options);
    const results = await (this.#writesInPlace ? this.#session.run(feeds, places) : this.#session.run(feeds));
    const given: Record<Kind, { [name: string]: HostArray }> = { outputs: {}, assign: {}, add: {}, append: {} };
    for (const { kind, name, onnxName } of this.#results) {
      given[kind][name] = (places[onnxName] ?? results[onnxName]!).data as HostArray;
    }
    changeState(given, options);
    return given.outputs;
  }

  /** Where a result goes that only changes state; `null` lets the library make a new array. */
  #place(result: Result, { sizes = {}, state = [] }: RunOptions): OnnxRuntime.Tensor | null {
    const { kind, name } = result;
    if (!this.#writesInPlace || (kind !== 'add' && kind !== 'assign')) return null;
    const shape = result.shapeAt(sizes);
    const empty = kind === 'add' ? ownerOf(state, name)?.emptyPlace?.(name) : undefined;
    if (empty !== undefined) return new this.#runtime.Tensor('float32', empty, shape);
    // What is assigned may still be read in the same run, and what is added comes to other numbers: a place of its own,
    // which all runs share.
    if (result.own === undefined || !sameShape(result.own.dims, shape)) {
      result.own = new this.#runtime.Tensor('float32', new Float32Array(elementCount(shape)), shape);
    }
    return result.own;
  }

  #tensor(feed: Feed, data: HostArray | undefined, sizes: { readonly [name: string]: number }): OnnxRuntime.Tensor {
    const { name, type, last } = feed;
    if (data === undefined) throw new Error(`${name} is missing`);
    const shape = feed.shapeAt(sizes);
    if (last?.data === data && sameShape(last.dims, shape)) return last;
    if (data.length !== elementCount(shape) || !holdsType(data, type)) {
      const found = `a ${data.constructor.name} of ${data.length}`;
      throw new Error(`${name} must be ${describeType({ shape, type })}, not ${found}`);
    }
    return new this.#runtime.Tensor(type, data, shape);
  }

  async dispose(): Promise<void> {
    await this.#session.release();
  }
}
