import type { Shape } from '../operations/tensor.js';

/** A size as a sum of products. Each term is a number times open sizes. */
type SizeExpression = readonly { readonly factor: number; readonly names: readonly string[] }[];

/**
 * Sizes that a program leaves open. A graph has only concrete shapes, so each open size is represented by a large prime
 * number. A shape may contain that number, a multiple, a product, one more than these, or a sum of two. So one session
 * serves every run. With one program per shape, all programs would have to be compiled again whenever the weights
 * change.
 */
export class OpenSizes {
  readonly #sizes: readonly (readonly [name: string, standIn: number])[];

  constructor(sizes: { readonly [name: string]: number } = {}) {
    this.#sizes = Object.entries(sizes);
  }

  /** The meaning of a size in a shape; `undefined` if it is only a number. */
  read(size: number): SizeExpression | undefined {
    const product = this.#product(size);
    if (product.names.length > 0) return [product];
    const before = this.#product(size - 1);
    if (before.names.length > 0) return [before, { factor: 1, names: [] }];
    for (const [index, [first, a]] of this.#sizes.entries()) {
      for (const [second, b] of this.#sizes.slice(index + 1)) {
        if (size === a + b) return [first, second].map((name) => ({ factor: 1, names: [name] }));
      }
    }
    return undefined;
  }

  #product(size: number): SizeExpression[number] {
    let factor = size;
    const names: string[] = [];
    for (const [name, standIn] of this.#sizes) {
      while (factor !== 0 && factor % standIn === 0) {
        factor /= standIn;
        names.push(name);
      }
    }
    return { factor, names };
  }

  /** The shape in a run with these sizes. Throws if a size is missing. */
  resolve(shape: Shape, sizes: { readonly [name: string]: number }): Shape {
    return this.resolver(shape)(sizes);
  }

  /** Like `resolve`, for many runs. */
  resolver(shape: Shape): (sizes: { readonly [name: string]: number }) => Shape {
    const expressions = shape.map((size) => this.read(size));
    if (expressions.every((terms) => terms === undefined)) return () => shape;
    return (sizes) => {
      const value = (name: string) => {
        const size = sizes[name];
        if (size === undefined) throw new Error(`the run does not give the size ${name}`);
        return size;
      };
      return expressions.map(
        (terms, axis) =>
          terms?.reduce((sum, { factor, names }) => sum + names.reduce((p, name) => p * value(name), factor), 0) ??
          shape[axis]!,
      );
    };
  }

  /** The shape for a model's declaration: numbers, and names of open sizes. */
  declare(shape: Shape): readonly (number | string)[] {
    return shape.map((size) => {
      const terms = this.read(size)?.map(({ factor, names }) =>
        [...(factor === 1 && names.length > 0 ? [] : [factor]), ...names].join('*'),
      );
      return terms?.join('+') ?? size;
    });
  }
}
