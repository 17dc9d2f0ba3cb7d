import type { ProgramPlaces } from '../../lowering/places.js';
import { lowerToGraph, type ProgramNodes } from '../../lowering/tensorflow/lower-program.js';
import type { HostArray } from '../../operations/tensor.js';
import type { Executable, Precision, Program } from '../executor.js';
import { BoundExecutable, type BoundRun } from '../variables/bound-executable.js';
import { VariableExecutor } from '../variables/variable-executor.js';
import type { Variable } from '../variables/variable.js';
import type { Located } from '../variables/view.js';
import type { TensorFlowBinding } from './binding.js';
import { loadTensorFlow, type TensorFlowSettings } from './load-tensorflow.js';
import { TensorFlowSession, type Feed } from './session.js';

/**
 * TensorFlow: every program is a part of one graph, whose variables hold the state. One run is one call, and only its
 * inputs and outputs move.
 */
export class TensorFlowExecutor extends VariableExecutor {
  readonly engine = 'tensorflow';
  readonly version: string;
  readonly threads: number;
  protected readonly store: TensorFlowSession;
  readonly #precision: Precision;

  /** Throws if it does not load: see `loadTensorFlow`. */
  static load(settings: Required<TensorFlowSettings> & { readonly precision: Precision }): TensorFlowExecutor {
    return new TensorFlowExecutor(loadTensorFlow(settings), settings.threads, settings.precision);
  }

  private constructor(binding: TensorFlowBinding, threads: number, precision: Precision) {
    super({ allowsEmptyCache: true });
    this.store = new TensorFlowSession(binding);
    this.#precision = precision;
    this.version = binding.TF_Version;
    this.threads = threads;
  }

  compile(program: Program): Promise<Executable> {
    return Promise.resolve(new TensorFlowExecutable(this.store, this.name('program'), program, this.#precision));
  }

  dispose(): Promise<void> {
    this.store.dispose();
    return Promise.resolve();
  }
}

/** A part of the session's graph. */
interface Instance extends ProgramNodes {
  readonly variables: readonly Variable[];
  readonly changed: ReadonlySet<Variable>;
}

class TensorFlowExecutable extends BoundExecutable<Instance> {
  readonly #session: TensorFlowSession;
  readonly #name: string;
  readonly #precision: Precision;

  constructor(session: TensorFlowSession, name: string, program: Program, precision: Precision) {
    super(program);
    this.#session = session;
    this.#name = name;
    this.#precision = precision;
  }

  protected instantiate(
    number: number,
    places: ProgramPlaces<Located>,
    variables: readonly Variable[],
  ): Promise<Instance> {
    const nodes = lowerToGraph(`${this.#name}/${number}`, this.tensors, places, {
      openSizes: this.openSizes,
      coarseType: this.#precision,
    });
    const changed = new Set([...places.assign, ...places.add].map(({ variable }) => variable));
    const instance = { ...nodes, variables, changed };
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
    const { outputs, done } = instance;
    const results = this.#session.run(instance, feeds, done ? [...outputs, done] : outputs);
    return Promise.resolve(Object.fromEntries([...this.outputs.keys()].map((name, index) => [name, results[index]!])));
  }

  protected free(instance: Instance): Promise<void> {
    this.#session.removePart(instance);
    return Promise.resolve();
  }
}
