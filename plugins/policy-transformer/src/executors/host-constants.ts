import { describeType, elementCount } from '../operations/shapes.js';
import { holdsType, newArray, type ElementType, type HostArray, type TensorType } from '../operations/tensor.js';
import { jointView, type HostView } from './host-state.js';
import type { Constants } from './state.js';

/** Constants in the memory of the process: one block for each type, in which arrays follow each other in their order. */
export class HostConstants implements Constants, HostView {
  readonly types: ReadonlyMap<string, TensorType>;
  readonly #views = new Map<string, HostArray>();

  constructor(types: ReadonlyMap<string, TensorType>) {
    this.types = types;
    const lengths = new Map<ElementType, number>();
    for (const { type, shape } of types.values()) lengths.set(type, (lengths.get(type) ?? 0) + elementCount(shape));
    const blocks = new Map([...lengths].map(([type, length]) => [type, newArray(type, length)]));
    const ends = new Map<ElementType, number>();
    for (const [name, { type, shape }] of types) {
      const start = ends.get(type) ?? 0;
      const end = start + elementCount(shape);
      this.#views.set(name, blocks.get(type)!.subarray(start, end));
      ends.set(type, end);
    }
  }

  has(name: string): boolean {
    return this.#views.has(name);
  }

  view(names: readonly string[]): HostArray | undefined {
    return names.length === 1 ? this.#views.get(names[0]!) : jointView(names, this.#views);
  }

  write(name: string, data: HostArray, start: number): Promise<void> {
    const [view, type] = [this.#views.get(name), this.types.get(name)];
    if (view === undefined || type === undefined) throw new Error(`the constants have no ${name}`);
    if (!holdsType(data, type.type) || start + data.length > view.length) {
      throw new Error(`${data.length} numbers of a ${data.constructor.name} do not fit ${name}, ${describeType(type)}`);
    }
    view.set(data, start);
    return Promise.resolve();
  }
}
