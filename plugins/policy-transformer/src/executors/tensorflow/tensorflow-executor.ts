import type { ProgramPlaces } from '../../lowering/places.js';
import { lowerToGraph, type ProgramNodes } from '../../lowering/tensorflow/lower-program.js';
import type { HostArray, Shape, TensorType } from '../../operations/tensor.js';
import type { Executable, Executor, Program } from '../executor.js';
import type { CacheShape } from '../state.js';
import { BoundExecutable, type BoundRun } from '../variables/bound-executable.js';
import { VariableCache } from '../variables/variable-cache.js';
import { VariableConstants, VariableState } from '../variables/variable-state.js';
import type { Variable } from '../variables/variable.js';
import type { Located } from '../variables/view.js';
import type { TensorFlowBinding } from './binding.js';
import { loadTensorFlow } from './load-tensorflow.js';
import { TensorFlowSession, type Feed } from './session.js';

/**
 * TensorFlow: every program is a part of one graph, whose variables hold the state. One run is one call, and only its
 * inputs and outputs move.
 */
export class TensorFlowExecutor implements Executor {
  readonly engine = 'tensorflow';
  readonly version: string;
  readonly threads: number;
  readonly rowRules = { leastRows: 1, mostFewRows: 16, widthMultiple: 8, capacityMultiple: 32, allowsEmptyCache: true };
  readonly mostFixedBytes = 0;
  readonly vectorLength = Infinity;
  readonly #session: TensorFlowSession;
  #count = 0;

  /** Throws if it does not load: see `loadTensorFlow`. */
  static load(engineFolder: string | undefined, threads: number): TensorFlowExecutor {
    return new TensorFlowExecutor(loadTensorFlow(engineFolder, threads), threads);
  }

  private constructor(binding: TensorFlowBinding, threads: number) {
    this.#session = new TensorFlowSession(binding);
    this.version = binding.TF_Version;
    this.threads = threads;
  }

  allocate(shapes: ReadonlyMap<string, Shape>, data?: Float32Array): VariableState<'float32'> {
    return new VariableState(this.#session, this.#name('state'), shapes, 'float32', data);
  }

  allocateRounded(shapes: ReadonlyMap<string, Shape>): VariableState<'bfloat16'> {
    return new VariableState(this.#session, this.#name('state'), shapes, 'bfloat16');
  }

  allocateConstants(types: ReadonlyMap<string, TensorType>): VariableConstants {
    return new VariableConstants(this.#session, this.#name('constants'), types);
  }

  allocateCache(shape: CacheShape): VariableCache {
    return new VariableCache(this.#session, this.#name('cache'), shape);
  }

  compile(program: Program): Promise<Executable> {
    return Promise.resolve(new TensorFlowExecutable(this.#session, this.#name('program'), program));
  }

  dispose(): Promise<void> {
    this.#session.dispose();
    return Promise.resolve();
  }

  #name(kind: string): string {
    return `${kind}${this.#count++}`;
  }
}

/** A part of the session's graph. */
interface Instance extends ProgramNodes {
  readonly variables: readonly Variable[];
}

class TensorFlowExecutable extends BoundExecutable<Instance> {
  readonly #session: TensorFlowSession;
  readonly #name: string;

  constructor(session: TensorFlowSession, name: string, program: Program) {
    super(program);
    this.#session = session;
    this.#name = name;
  }

  protected instantiate(
    number: number,
    places: ProgramPlaces<Located>,
    variables: readonly Variable[],
  ): Promise<Instance> {
    const nodes = lowerToGraph(`${this.#name}/${number}`, this.tensors, places, this.openSizes);
    const instance = { ...nodes, variables };
    this.#session.addPart(instance);
    return Promise.resolve(instance);
  }

  protected compute(
    instance: Instance,
    { inputs, numbers, appendRows }: BoundRun,
  ): Promise<{ readonly [name: string]: HostArray }> {
    const feeds: Feed[] = [
      { name: instance.numbers, type: 'int32', shape: [numbers.length], data: numbers },
      // Inputs of programs are of types that the addon knows.
      ...inputs.map((input, index) => ({ ...input, name: instance.inputs[index]! }) as Feed),
    ];
    if (appendRows !== undefined) {
      feeds.push({ name: instance.appendRows, type: 'int32', shape: [appendRows.length], data: appendRows });
    }
    const { outputs, done, variables } = instance;
    const results = this.#session.run(instance, variables, feeds, done ? [...outputs, done] : outputs);
    return Promise.resolve(Object.fromEntries([...this.outputs.keys()].map((name, index) => [name, results[index]!])));
  }

  protected free(instance: Instance): Promise<void> {
    this.#session.removePart(instance);
    return Promise.resolve();
  }
}
