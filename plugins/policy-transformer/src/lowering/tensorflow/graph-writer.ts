import { constantType, type HostArray, type Shape } from '../../operations/tensor.js';
import type { TensorFlowAttributes, TensorFlowNode } from './graph-def.js';

const INDEX = { type: 'int32' } as const;

/** Collects nodes whose names begin with a prefix. Equal small constants are one node. */
export class GraphWriter {
  readonly nodes: TensorFlowNode[] = [];
  readonly #prefix: string;
  readonly #constants = new Map<string, string>();
  #count = 0;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** @param name the part of its name after the prefix. Default: a number. */
  node(
    operator: string,
    inputs: readonly string[],
    attributes: TensorFlowAttributes = {},
    name = `n${this.#count++}`,
  ): string {
    const full = `${this.#prefix}/${name}`;
    this.nodes.push({ name: full, operator, inputs, attributes });
    return full;
  }

  constant(data: HostArray, shape: Shape): string {
    const type = constantType(data);
    const make = () => this.node('Const', [], { dtype: { type }, value: { data, of: { type, shape } } });
    if (data.length > 64) return make();
    // `join` would lose -0.
    const key = `${type}[${shape.join()}] ${Array.from(data, (x) => (Object.is(x, -0) ? '-0' : x)).join()}`;
    const known = this.#constants.get(key) ?? make();
    this.#constants.set(key, known);
    return known;
  }

  /** A scalar int32. */
  integer(value: number): string {
    return this.constant(Int32Array.of(value), []);
  }

  /** [n] int32. */
  integers(values: readonly number[]): string {
    return this.constant(Int32Array.from(values), [values.length]);
  }

  /** [n] int32 from scalars. */
  pack(scalars: readonly string[]): string {
    return this.node('Pack', scalars, { N: scalars.length, T: INDEX });
  }

  /** An input of the graph. */
  placeholder(type: 'float32' | 'int32' | 'bool' | 'int8' | 'uint8', name: string): string {
    return this.node('Placeholder', [], { dtype: { type }, shape: { shape: undefined } }, name);
  }

  /** A value that is computed after the control inputs. */
  done(after: readonly string[], name: string): string {
    const value = { data: Int32Array.of(0), of: { type: 'int32', shape: [] } } as const;
    return this.node('Const', after.map(control), { dtype: INDEX, value }, name);
  }
}

/** An input that only has to run before. */
export function control(value: string): string {
  return `^${value.split(':', 1)[0]!}`;
}
