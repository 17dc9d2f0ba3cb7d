import { constant, input, state } from '../../operations/leaves.js';
import type { MatmulAttributes } from '../../operations/matmul.js';
import { result } from '../../operations/operation.js';
import { sizeOf } from '../../operations/shapes.js';
import {
  constantType,
  type HostArray,
  type Node,
  type Shape,
  type Tensor,
  type TensorType,
} from '../../operations/tensor.js';
import type { Lowerings } from '../lowerings.js';
import type { OpenSizes } from '../open-sizes.js';
import type { OnnxAttributes, OnnxEmitter } from './onnx-emitter.js';
import type { OnnxInitializer, OnnxNode } from './onnx-model.js';
import { productsWithinSums, type ProductInSum } from './products-within-sums.js';
import { slicesOfWholes, type SlicedWhole } from './slices-of-wholes.js';

/** Arrays of state that are joined along the first axis. */
export interface LoweredState extends TensorType {
  readonly names: readonly string[];
}

export const onnxInput = (name: string): string => `input:${name}`;
export const onnxState = (names: readonly string[]): string => `state:${names.join('+')}`;
export const onnxOutput = (name: string): string => `output:${name}`;

/** Operations whose value has a name of its own in the model. */
const LEAVES: ReadonlySet<Node['operation']> = new Set<Node['operation']>([input, state, constant]);

/** Collects the nodes of a model. */
export class ModelWriter implements OnnxEmitter {
  readonly #nodes: OnnxNode[] = [];
  readonly #initializers: OnnxInitializer[] = [];
  readonly #names = new Map<Tensor, string>();
  readonly #constants = new Map<string, string>();
  readonly #bound = new Set<string>();
  readonly #fixed = new Map<Node, boolean>();
  /** Outputs whose value already has another name. */
  readonly #aliases: [tensor: Tensor, output: string][] = [];
  readonly #openSizes: OpenSizes;
  /** Names of 1-D int64 values that contain the open sizes. */
  readonly #measured = new Map<string, string>();
  readonly #lowerings: Lowerings<OnnxEmitter>;
  #count = 0;

  constructor(openSizes: OpenSizes, lowerings: Lowerings<OnnxEmitter>) {
    this.#openSizes = openSizes;
    this.#lowerings = lowerings;
  }

  /**
   * Writes nodes of the graph, in their order.
   * @param outputs tensors that are read outside of these nodes
   */
  lower(nodes: readonly Node[], outputs: readonly Tensor[]): void {
    const sums = productsWithinSums(nodes, outputs, (tensor) => this.isFixed(tensor));
    const wholes = slicesOfWholes(nodes);
    const absorbed = new Set([
      ...[...sums.values()].map(({ product }) => product),
      ...[...wholes.values()].flatMap(({ slices }) => slices),
    ]);
    for (const node of nodes) {
      const sum = sums.get(node);
      const whole = wholes.get(node);
      if (sum) this.#productPlus(sum, node);
      else if (whole) this.#split(whole);
      else if (!absorbed.has(node)) this.#lowerings.lower(this, node);
    }
  }

  /** Says which 1-D int64 value contains an open size. */
  setSize(name: string, value: string): void {
    this.#measured.set(name, value);
  }

  /** Says which value an input or a state has, if it is not one of the model's own. */
  setName(tensor: Tensor, name: string): void {
    this.#names.set(tensor, name);
  }

  /** Reads open sizes from an input of the model, which has this shape. */
  measure(input: string, shape: Shape): void {
    for (const [axis, size] of shape.entries()) {
      const [term, more] = this.#openSizes.read(size) ?? [];
      const [name, further] = term?.names ?? [];
      if (term === undefined || name === undefined || more || further !== undefined || this.#measured.has(name))
        continue;
      const measured = this.temporary();
      this.node('Shape', [input], [measured], { start: axis, end: axis + 1 });
      this.#measured.set(name, term.factor === 1 ? measured : this.#quotient(measured, term.factor));
    }
  }

  #quotient(value: string, divisor: number): string {
    const out = this.temporary();
    this.node('Div', [value, this.integers([divisor])], [out]);
    return out;
  }

  graph(): { readonly nodes: readonly OnnxNode[]; readonly initializers: readonly OnnxInitializer[] } {
    return { nodes: this.#nodes, initializers: this.#initializers };
  }

  isFixed({ node }: Tensor): boolean {
    const known = this.#fixed.get(node);
    if (known !== undefined) return known;
    const isFixed =
      node.operation !== input &&
      (node.operation === state
        ? this.#bound.has(onnxState((node.attributes as LoweredState).names))
        : node.inputs.every((tensor) => this.isFixed(tensor)));
    this.#fixed.set(node, isFixed);
    return isFixed;
  }

  bind({ names, shape, type }: LoweredState, data: HostArray): void {
    const name = onnxState(names);
    this.#bound.add(name);
    this.#initializers.push({ name, dimensions: shape, type, data });
  }

  nameOutput(name: string, tensor: Tensor): void {
    const leaf = LEAVES.has(tensor.node.operation);
    if (leaf || this.#names.has(tensor)) this.#aliases.push([tensor, onnxOutput(name)]);
    else this.#names.set(tensor, onnxOutput(name));
  }

  copyAliasedOutputs(): void {
    for (const [tensor, output] of this.#aliases) this.node('Identity', [this.name(tensor)], [output]);
  }

  name(tensor: Tensor): string {
    const known = this.#names.get(tensor);
    if (known !== undefined) return known;
    const name = this.#newName(tensor);
    this.#names.set(tensor, name);
    return name;
  }

  #newName({ node }: Tensor): string {
    if (node.operation === input) return onnxInput((node.attributes as { readonly name: string }).name);
    if (node.operation === state) return onnxState((node.attributes as LoweredState).names);
    if (node.operation !== constant) return this.temporary();
    const { data, shape } = node.attributes as { readonly data: HostArray; readonly shape: Shape };
    return this.#initializer(shape, data);
  }

  temporary(): string {
    return `v${this.#count++}`;
  }

  node(
    operator: string,
    inputs: readonly string[],
    outputs: readonly string[],
    attributes: OnnxAttributes = {},
    domain = '',
  ): void {
    this.#nodes.push({ operator, domain, inputs, outputs, attributes });
  }

  #productPlus({ product, addend }: ProductInSum, sum: Node): void {
    const { transposeLeft, transposeRight, scale } = product.attributes as MatmulAttributes;
    const operands = [...product.inputs, addend].map((tensor) => this.name(tensor));
    const flags = { transA: Number(transposeLeft), transB: Number(transposeRight), alpha: { float: scale } };
    const [out] = sum.outputs;
    if (out) this.node('Gemm', operands, [this.name(out)], flags);
  }

  #split({ tensor, axis, slices }: SlicedWhole): void {
    const parts = slices.map((node) => result(node));
    const sizes = this.integers(parts.map(({ shape }) => sizeOf(shape, axis)));
    this.node(
      'Split',
      [this.name(tensor), sizes],
      parts.map((part) => this.name(part)),
      { axis },
    );
  }

  integers(values: readonly number[]): string {
    if (values.some((value) => this.#openSizes.read(value))) return this.#openIntegers(values);
    return this.#shared(`int64 ${values.join()}`, [values.length], BigInt64Array.from(values, BigInt));
  }

  /** A single open size is written as -1, the remaining size, so nothing has to compute it. */
  target(shape: Shape): string {
    const isOpen = (size: number) => this.#openSizes.read(size) !== undefined;
    return this.integers(shape.filter(isOpen).length === 1 ? shape.map((size) => (isOpen(size) ? -1 : size)) : shape);
  }

  #openIntegers(values: readonly number[]): string {
    const key = `open ${values.join()}`;
    const known = this.#constants.get(key);
    if (known !== undefined) return known;
    const combine = (operator: string, names: readonly string[], attributes = {}): string => {
      if (names.length === 1) return names[0]!;
      const out = this.temporary();
      this.node(operator, names, [out], attributes);
      return out;
    };
    const value = (name: string): string => {
      const measured = this.#measured.get(name);
      if (measured === undefined) throw new Error(`no input has the open size ${name}`);
      return measured;
    };
    const parts = values.map((size) => {
      const terms = this.#openSizes.read(size);
      if (!terms) return this.integers([size]);
      const products = terms.map(({ factor, names }) =>
        [...names.map(value), ...(factor === 1 && names.length > 0 ? [] : [this.integers([factor])])].reduce((a, b) =>
          combine('Mul', [a, b]),
        ),
      );
      return products.reduce((a, b) => combine('Add', [a, b]));
    });
    const name = combine('Concat', parts, { axis: 0 });
    this.#constants.set(key, name);
    return name;
  }

  constant(data: HostArray, shape: Shape): string {
    return this.#shared(`${data.constructor.name} [${shape.join()}] ${data.join()}`, shape, data);
  }

  #shared(key: string, shape: Shape, data: OnnxInitializer['data']): string {
    const known = this.#constants.get(key);
    if (known !== undefined) return known;
    const name = this.#initializer(shape, data);
    this.#constants.set(key, name);
    return name;
  }

  #initializer(dimensions: Shape, data: OnnxInitializer['data']): string {
    const name = this.temporary();
    const type = data instanceof BigInt64Array ? 'int64' : constantType(data);
    this.#initializers.push({ name, dimensions, type, data });
    return name;
  }
}
