import type { Operation } from '../operations/operation.js';
import type { Node } from '../operations/tensor.js';

/**
 * How a backend computes one operation. `Into` is what it writes to: an emitter of the backend's format, or an
 * interpreter.
 */
export interface Lowering<Into> {
  readonly operation: Node['operation'];
  readonly lower: (into: Into, node: Node) => void;
}

/** An entry for `Lowerings`. The attributes of the node have the type that the operation declares. */
export function lowering<Into, Attributes>(
  operation: Operation<Attributes>,
  lower: (into: Into, node: Node<Attributes>) => void,
): Lowering<Into> {
  return { operation, lower: lower as Lowering<Into>['lower'] };
}

/** The lowerings of one backend. */
export class Lowerings<Into> {
  readonly #backend: string;
  readonly #lowerings = new Map<Node['operation'], Lowering<Into>['lower']>();

  /** @param backend name of the backend, for messages. Throws if an operation has two lowerings. */
  constructor(backend: string, lowerings: readonly Lowering<Into>[]) {
    this.#backend = backend;
    for (const { operation, lower } of lowerings) {
      if (this.#lowerings.has(operation)) throw new Error(`${backend} has two lowerings of ${operation.name}`);
      this.#lowerings.set(operation, lower);
    }
  }

  /** All but those of some operations. */
  without(operations: readonly Node['operation'][]): Lowering<Into>[] {
    return [...this.#lowerings].flatMap(([operation, lower]) =>
      operations.includes(operation) ? [] : [{ operation, lower }],
    );
  }

  has(operation: Node['operation']): boolean {
    return this.#lowerings.has(operation);
  }

  /** Writes what computes the outputs of a node. Throws if the backend has no lowering of its operation. */
  lower(into: Into, node: Node): void {
    const lower = this.#lowerings.get(node.operation);
    if (lower === undefined)
      throw new Error(`${this.#backend} has no lowering of the operation ${node.operation.name}`);
    lower(into, node);
  }
}
