import type { Shape, TensorType } from '../../operations/tensor.js';
import type { Executable, Executor, Program, RowRules } from '../executor.js';
import type { CacheShape } from '../state.js';
import { VariableCache } from './variable-cache.js';
import { VariableConstants, VariableState } from './variable-state.js';
import type { VariableStore } from './variable-store.js';

/** An executor whose engine keeps all state in variables of its own. */
export abstract class VariableExecutor implements Executor {
  abstract readonly engine: string;
  abstract readonly version: string;
  abstract readonly threads: number;
  readonly rowRules: RowRules;
  readonly mostFixedBytes = 0;
  readonly mostConstantBytes = 0;
  readonly vectorLength = Infinity;
  protected abstract readonly store: VariableStore;
  #count = 0;

  constructor({ allowsEmptyCache }: Pick<RowRules, 'allowsEmptyCache'>) {
    this.rowRules = { leastRows: 1, mostFewRows: 16, widthMultiple: 8, capacityMultiple: 32, allowsEmptyCache };
  }

  allocate(shapes: ReadonlyMap<string, Shape>, data?: Float32Array): VariableState<'float32'> {
    return new VariableState(this.store, this.name('state'), shapes, 'float32', data);
  }

  allocateRounded(shapes: ReadonlyMap<string, Shape>): VariableState<'bfloat16'> {
    return new VariableState(this.store, this.name('state'), shapes, 'bfloat16');
  }

  allocateConstants(types: ReadonlyMap<string, TensorType>): VariableConstants {
    return new VariableConstants(this.store, this.name('constants'), types);
  }

  allocateCache(shape: CacheShape): VariableCache {
    return new VariableCache(this.store, this.name('cache'), shape);
  }

  abstract compile(program: Program): Promise<Executable>;
  abstract dispose(): Promise<void>;

  /** A name that nothing else of this executor has. */
  protected name(kind: string): string {
    return `${kind}${this.#count++}`;
  }
}
