import { bytesOfTensor, peakBytes } from '../graph/peak-bytes.js';
import { OpenSizes } from '../lowering/open-sizes.js';
import { neededNodes } from '../graph/needed-nodes.js';
import { state } from '../operations/leaves.js';
import { elementCount, totalElements } from '../operations/shapes.js';
import type { HostArray, Shape, Tensor, TensorType } from '../operations/tensor.js';
import type { Executable, Executor, HostArrays, Program, RowRules, RunOptions } from './executor.js';
import type { CacheState, Constants, State, StateArrays, StateType, StateView } from './state.js';

const BYTES = { float32: 4, bfloat16: 2 } as const;

/** What one program needs, in bytes: the most of all its runs. */
export interface CountedProgram {
  /** Tensors that exist at the same time in a run, outputs included. */
  readonly peak: number;
  /** Arrays that a run was given, except state. */
  readonly inputs: number;
  /** State that a run reads. */
  readonly state: number;
  /** Copies of what a run returns, or changes in state. */
  readonly results: number;
  /** Numbers that are constants of the program. */
  readonly fixed: number;
}

/**
 * Computes nothing: programs return zeros, and state has shapes but no numbers. It counts the memory that its programs and
 * state would need. So memory is estimated by the code that uses it.
 */
export class CountingExecutor implements Executor {
  readonly engine = 'counting';
  readonly version = '';
  readonly threads = 1;
  readonly rowRules: RowRules;
  readonly mostFixedBytes: number;
  readonly mostConstantBytes: number;
  readonly vectorLength: number;
  readonly #programs: CountedExecutable[] = [];
  #state = 0;

  /** @param of the executor for which it counts */
  constructor({
    rowRules,
    mostFixedBytes,
    mostConstantBytes,
    vectorLength,
  }: Pick<Executor, 'rowRules' | 'mostFixedBytes' | 'mostConstantBytes' | 'vectorLength'>) {
    this.rowRules = rowRules;
    this.mostFixedBytes = mostFixedBytes;
    this.mostConstantBytes = mostConstantBytes;
    this.vectorLength = vectorLength;
  }

  /** Programs that were compiled and run since the last call of this function. */
  takePrograms(): CountedProgram[] {
    return this.#programs.splice(0).map(({ counted }) => counted);
  }

  /** Bytes of the state that was allocated since the last call of this function. */
  takeState(): number {
    const taken = this.#state;
    this.#state = 0;
    return taken;
  }

  allocate(shapes: ReadonlyMap<string, Shape>): State {
    return this.#allocate(shapes, 'float32');
  }

  allocateRounded(shapes: ReadonlyMap<string, Shape>): StateArrays {
    return this.#allocate(shapes, 'bfloat16');
  }

  /** These are counted by the program that holds them. */
  allocateConstants(types: ReadonlyMap<string, TensorType>): Constants {
    return new CountedConstants(types);
  }

  allocateCache(): CacheState {
    throw new Error('a cache is not counted');
  }

  dispose(): Promise<void> {
    return Promise.resolve();
  }

  compile(program: Program): Promise<Executable> {
    const executable = new CountedExecutable(program);
    this.#programs.push(executable);
    return Promise.resolve(executable);
  }

  #allocate<Type extends StateType>(shapes: ReadonlyMap<string, Shape>, type: Type): CountedState<Type> {
    const allocated = new CountedState(shapes, type);
    this.#state += allocated.bytes;
    return allocated;
  }
}

/** State without numbers: what is read of it is empty. */
class CountedState<Type extends StateType> {
  readonly shapes: ReadonlyMap<string, Shape>;
  readonly type: Type;
  readonly bytes: number;

  constructor(shapes: ReadonlyMap<string, Shape>, type: Type) {
    this.shapes = shapes;
    this.type = type;
    this.bytes = BYTES[type] * totalElements(shapes);
  }

  has(name: string): boolean {
    return this.shapes.has(name);
  }

  read(): Promise<Float32Array> {
    return this.readAll();
  }

  write(): Promise<void> {
    return Promise.resolve();
  }

  readAll(): Promise<Float32Array> {
    return Promise.resolve(new Float32Array());
  }

  writeAll(): Promise<void> {
    return Promise.resolve();
  }

  addAll(): Promise<void> {
    return Promise.resolve();
  }

  clear(): Promise<void> {
    return Promise.resolve();
  }

  part(_: string, as: string): StateView {
    return { has: (name) => name === as };
  }

  renamed(): StateView {
    return this;
  }

  dispose(): Promise<void> {
    return Promise.resolve();
  }
}

class CountedConstants implements Constants {
  readonly types: ReadonlyMap<string, TensorType>;
  readonly bytes: number;

  constructor(types: ReadonlyMap<string, TensorType>) {
    this.types = types;
    this.bytes = [...types.values()].reduce((sum, type) => sum + bytesOfTensor(type), 0);
  }

  has(name: string): boolean {
    return this.types.has(name);
  }

  write(): Promise<void> {
    return Promise.resolve();
  }
}

class CountedExecutable implements Executable {
  readonly inputs: ReadonlyMap<string, TensorType> = new Map();
  readonly outputs: ReadonlyMap<string, TensorType>;
  counted: CountedProgram = { peak: 0, inputs: 0, state: 0, results: 0, fixed: 0 };
  readonly #program: Program;
  readonly #changed: readonly Tensor[];
  readonly #open: OpenSizes;
  /** By the sizes of a run. */
  readonly #known = new Map<string, CountedProgram>();

  constructor(program: Program) {
    const { outputs, assign = {}, add = {}, append = {}, openSizes } = program;
    this.#program = program;
    this.#open = new OpenSizes(openSizes);
    this.#changed = [assign, add, append].flatMap((tensors) => Object.values(tensors));
    this.outputs = new Map(Object.entries(outputs));
  }

  run(inputs: HostArrays, { sizes = {} }: RunOptions = {}): Promise<{ readonly [name: string]: HostArray }> {
    const key = JSON.stringify(sizes);
    const of = this.#known.get(key) ?? this.#count(inputs, sizes);
    this.#known.set(key, of);
    const most = (name: keyof CountedProgram) => Math.max(this.counted[name], of[name]);
    this.counted = {
      peak: most('peak'),
      inputs: most('inputs'),
      state: most('state'),
      results: most('results'),
      fixed: most('fixed'),
    };
    const returned = Object.entries(this.#program.outputs).map(([name, { shape, type }]) => {
      const count = elementCount(this.#open.resolve(shape, sizes));
      return [name, type === 'int32' ? new Int32Array(count) : new Float32Array(count)] as const;
    });
    return Promise.resolve(Object.fromEntries(returned));
  }

  dispose(): Promise<void> {
    return Promise.resolve();
  }

  #count(inputs: HostArrays, sizes: { readonly [name: string]: number }): CountedProgram {
    const resolve = (shape: Shape) => this.#open.resolve(shape, sizes);
    const results = [...Object.values(this.#program.outputs), ...this.#changed];
    const { fixed } = this.#program;
    return {
      peak: peakBytes(results, resolve),
      inputs: Object.values(inputs).reduce((sum, { byteLength }) => sum + byteLength, 0),
      state: neededNodes(results).reduce(
        (sum, { operation, outputs: [output] }) => (operation === state ? sum + bytesOfTensor(output!, resolve) : sum),
        0,
      ),
      results: results.reduce((sum, result) => sum + bytesOfTensor(result, resolve), 0),
      fixed: fixed instanceof CountedState || fixed instanceof CountedConstants ? fixed.bytes : 0,
    };
  }
}
