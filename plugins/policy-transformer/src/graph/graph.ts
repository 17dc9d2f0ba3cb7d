/* Long because it has one method for each operation; each is one or two lines. */
import { rotary, scaledAttention } from '../operations/attention.js';
import * as elementwise from '../operations/elementwise.js';
import type { GraphBuilder, MatmulOptions, ReduceOptions } from '../operations/graph-builder.js';
import * as indexing from '../operations/indexing.js';
import * as layout from '../operations/layout.js';
import * as leaves from '../operations/leaves.js';
import * as logic from '../operations/logic.js';
import { matmul } from '../operations/matmul.js';
import { rmsNorm, silu } from '../operations/normalization.js';
import type { Operation } from '../operations/operation.js';
import { int4Matmul, int8Matmul } from '../operations/quantized-matmul.js';
import * as reductions from '../operations/reductions.js';
import { describeType, elementCount, normalizeAxis, sameShape, sizeOf } from '../operations/shapes.js';
import { distribution, logSoftmax, softmax, tokenStatistics } from '../operations/softmax.js';
import type { ElementType, HostArray, Node, Shape, Tensor, TensorType } from '../operations/tensor.js';

type Operand = Tensor | number;

/** Constants up to this many elements are compared by content, so that equal ones are one tensor. */
const SMALL_CONSTANT = 64;

/**
 * A description of a computation, independent of executors. Equal operations on equal tensors give the same tensor, so
 * each subexpression is computed once. Nodes that no output needs are never lowered.
 *
 * @example
 * ```ts
 * const graph = new Graph();
 * const x = graph.input('x', [2, 3]);
 * const weight = graph.input('weight', [4, 3]);
 * const loss = graph.sum(graph.silu(graph.matmul(x, weight, { transposeRight: true })));
 * const [gradient] = gradients(graph, loss, [weight]);
 * const executable = await executor.compile({ outputs: { loss, gradient } });
 * const { loss: value } = await executable.run({ x: new Float32Array(6), weight: new Float32Array(12) });
 * ```
 */
export class Graph implements GraphBuilder {
  readonly #known = new Map<string, readonly Tensor[]>();
  readonly #leaves = new Map<string, Tensor>();
  #count = 0;

  /** Applies an operation, or returns the outputs of an equal node. Throws if shapes do not fit. */
  apply<Attributes>(
    operation: Operation<Attributes>,
    inputs: readonly Tensor[],
    attributes: Attributes,
    key = `${operation.name}(${inputs.map(({ node, index }) => `${node.id}.${index}`).join()})${JSON.stringify(attributes)}`,
  ): readonly Tensor[] {
    const known = this.#known.get(key);
    if (known) return known;
    const outputs: Tensor[] = [];
    const node: Node<Attributes> = { id: this.#count++, operation, inputs, attributes, outputs };
    const types = operation.infer(inputs, attributes);
    outputs.push(...types.map(({ shape, type }, index) => ({ shape, type, node, index })));
    this.#known.set(key, outputs);
    return outputs;
  }

  #one<Attributes>(operation: Operation<Attributes>, inputs: readonly Tensor[], attributes: Attributes): Tensor {
    return only(this.apply(operation, inputs, attributes));
  }

  /** A number becomes a scalar of the other operand's type. */
  #pair(left: Operand, right: Operand): [Tensor, Tensor] {
    const type = typeof left === 'object' ? left.type : typeof right === 'object' ? right.type : 'float32';
    const tensor = (operand: Operand): Tensor => {
      if (typeof operand === 'object') return operand;
      return type === 'int32' ? this.constant(Int32Array.of(operand), []) : this.constant(operand);
    };
    return [tensor(left), tensor(right)];
  }

  #binary(operation: Operation, left: Operand, right: Operand): Tensor {
    return this.#one(operation, this.#pair(left, right), {});
  }

  input(name: string, shape: Shape, type: ElementType = 'float32'): Tensor {
    return this.#leaf(`input ${name}`, { shape, type }, () => this.#one(leaves.input, [], { name, shape, type }));
  }

  state(name: string | readonly string[], shape: Shape, type: ElementType = 'float32'): Tensor {
    const names = typeof name === 'string' ? [name] : name;
    return this.#leaf(`state ${names.join('+')}`, { shape, type }, () =>
      this.#one(leaves.state, [], { names, shape, type }),
    );
  }

  /** The leaf of a name. Throws if it has another type. */
  #leaf(name: string, type: TensorType, make: () => Tensor): Tensor {
    const known = this.#leaves.get(name);
    if (known === undefined) {
      const tensor = make();
      this.#leaves.set(name, tensor);
      return tensor;
    }
    if (known.type === type.type && sameShape(known.shape, type.shape)) return known;
    throw new Error(`${name} is both ${describeType(known)} and ${describeType(type)}`);
  }

  constant(value: number): Tensor;
  constant(data: HostArray, shape: Shape): Tensor;
  constant(data: number | HostArray, shape: Shape = []): Tensor {
    const array = typeof data === 'number' ? Float32Array.of(data) : data;
    // JSON would lose NaN and -0, and `join` would lose -0.
    const content =
      array.length <= SMALL_CONSTANT ? Array.from(array, (x) => (Object.is(x, -0) ? '-0' : x)).join() : this.#count;
    const key = `constant ${array.constructor.name}[${shape.join()}] ${content}`;
    return only(this.apply(leaves.constant, [], { data: array, shape }, key));
  }

  fill(value: number, shape: Shape): Tensor {
    return this.expand(this.constant(value), shape);
  }

  range(start: number, end: number): Tensor {
    return this.constant(
      Int32Array.from({ length: end - start }, (_, index) => start + index),
      [end - start],
    );
  }

  add(left: Operand, right: Operand): Tensor {
    const [a, b] = this.#pair(left, right);
    if (isScalar(b, 0)) return a;
    if (isScalar(a, 0)) return b;
    return this.#one(elementwise.add, [a, b], {});
  }

  sub(left: Operand, right: Operand): Tensor {
    const [a, b] = this.#pair(left, right);
    return isScalar(b, 0) ? a : this.#one(elementwise.sub, [a, b], {});
  }

  mul(left: Operand, right: Operand): Tensor {
    const [a, b] = this.#pair(left, right);
    if (isScalar(b, 1)) return a;
    if (isScalar(a, 1)) return b;
    return this.#one(elementwise.mul, [a, b], {});
  }

  div(left: Operand, right: Operand): Tensor {
    const [a, b] = this.#pair(left, right);
    return isScalar(b, 1) ? a : this.#one(elementwise.div, [a, b], {});
  }

  max(left: Operand, right: Operand): Tensor {
    return this.#binary(elementwise.max, left, right);
  }

  min(left: Operand, right: Operand): Tensor {
    return this.#binary(elementwise.min, left, right);
  }

  neg(of: Tensor): Tensor {
    const [inner] = of.node.inputs;
    return of.node.operation === elementwise.neg && inner ? inner : this.#one(elementwise.neg, [of], {});
  }

  exp(of: Tensor): Tensor {
    return this.#one(elementwise.exp, [of], {});
  }

  log(of: Tensor): Tensor {
    return this.#one(elementwise.log, [of], {});
  }

  sqrt(of: Tensor): Tensor {
    return this.#one(elementwise.sqrt, [of], {});
  }

  sigmoid(of: Tensor): Tensor {
    return this.#one(elementwise.sigmoid, [of], {});
  }

  silu(of: Tensor): Tensor {
    return only(this.apply(silu, [of], {}));
  }

  softplus(of: Tensor): Tensor {
    return this.#one(elementwise.softplus, [of], {});
  }

  logsigmoid(of: Tensor): Tensor {
    return this.neg(this.softplus(this.neg(of)));
  }

  stopGradient(of: Tensor): Tensor {
    return this.#one(leaves.stopGradient, [of], {});
  }

  equal(left: Operand, right: Operand): Tensor {
    return this.#binary(logic.equal, left, right);
  }

  less(left: Operand, right: Operand): Tensor {
    return this.#binary(logic.less, left, right);
  }

  lessOrEqual(left: Operand, right: Operand): Tensor {
    return this.#binary(logic.lessOrEqual, left, right);
  }

  greater(left: Operand, right: Operand): Tensor {
    return this.#binary(logic.less, right, left);
  }

  greaterOrEqual(left: Operand, right: Operand): Tensor {
    return this.#binary(logic.lessOrEqual, right, left);
  }

  or(left: Tensor, right: Tensor): Tensor {
    return this.#binary(logic.or, left, right);
  }

  where(condition: Tensor, then: Operand, otherwise: Operand): Tensor {
    return this.#one(logic.where, [condition, ...this.#pair(then, otherwise)], {});
  }

  cast(of: Tensor, type: ElementType): Tensor {
    return of.type === type ? of : this.#one(logic.cast, [of], { type });
  }

  matmul(left: Tensor, right: Tensor, options: MatmulOptions = {}): Tensor {
    const { transposeLeft = false, transposeRight = false, scale = 1, fewRows = false, coarse = false } = options;
    if (right.shape.length === 2 && left.shape.length > 2 && !transposeLeft) {
      const inner = sizeOf(left.shape, -1);
      const flat = this.matmul(this.reshape(left, [elementCount(left.shape) / inner, inner]), right, options);
      return this.reshape(flat, [...left.shape.slice(0, -1), sizeOf(flat.shape, 1)]);
    }
    return this.#one(matmul, [left, right], { transposeLeft, transposeRight, scale, fewRows, coarse });
  }

  int8Matmul(left: Tensor, codes: Tensor, scales: Tensor): Tensor {
    return this.#one(int8Matmul, [left, codes, scales], {});
  }

  int4Matmul(left: Tensor, codes: Tensor, scales: Tensor): Tensor {
    return this.#one(int4Matmul, [left, codes, scales], {});
  }

  reshape(of: Tensor, shape: Shape): Tensor {
    const known = shape.reduce((product, size) => (size === -1 ? product : product * size), 1);
    const whole = shape.map((size) => (size === -1 ? elementCount(of.shape) / known : size));
    if (sameShape(of.shape, whole)) return of;
    const [inner] = of.node.inputs;
    return of.node.operation === layout.reshape && inner
      ? this.reshape(inner, whole)
      : this.#one(layout.reshape, [of], { shape: whole });
  }

  transpose(of: Tensor, order: readonly number[]): Tensor {
    const { shape } = of;
    const long = order.filter((axis) => shape[axis] !== 1);
    // If only axes of one element move, the elements keep their order.
    if (long.every((axis, index) => index === 0 || axis > long[index - 1]!)) {
      return this.reshape(
        of,
        order.map((axis) => sizeOf(shape, axis)),
      );
    }
    return this.#one(layout.transpose, [of], { order });
  }

  slice(of: Tensor, axis: number, start: number, end: number): Tensor {
    const normal = normalizeAxis(axis, of.shape.length);
    const size = sizeOf(of.shape, normal);
    const from = start < 0 ? start + size : start;
    const to = end < 0 ? end + size : end;
    return from === 0 && to === size ? of : this.#one(layout.slice, [of], { axis: normal, start: from, end: to });
  }

  concat(tensors: readonly Tensor[], axis: number): Tensor {
    const [first] = tensors;
    if (first === undefined) throw new Error('concat has no inputs');
    if (tensors.length === 1) return first;
    return this.#one(layout.concat, tensors, { axis: normalizeAxis(axis, first.shape.length) });
  }

  expand(of: Tensor, shape: Shape): Tensor {
    return sameShape(of.shape, shape) ? of : this.#one(layout.expand, [of], { shape });
  }

  pad(of: Tensor, axis: number, before: number, after: number): Tensor {
    if (before === 0 && after === 0) return of;
    return this.#one(layout.pad, [of], { axis: normalizeAxis(axis, of.shape.length), before, after });
  }

  gather(table: Tensor, ids: Tensor, inverse?: Tensor): Tensor {
    return this.#one(indexing.gather, inverse ? [table, ids, inverse] : [table, ids], {});
  }

  scatterSum(values: Tensor, ids: Tensor, rows: number): Tensor {
    return this.#one(indexing.scatterSum, [values, ids], { rows });
  }

  gatherElements(of: Tensor, ids: Tensor): Tensor {
    return this.#one(indexing.gatherElements, [of, ids], {});
  }

  addElements(base: Tensor, ids: Tensor, values: Tensor): Tensor {
    return this.#one(indexing.addElements, [base, ids, values], {});
  }

  oneHot(ids: Tensor, depth: number): Tensor {
    return this.#one(indexing.oneHot, [ids], { depth });
  }

  sum(of: Tensor, options: ReduceOptions = {}): Tensor {
    const attributes = reduction(of, options);
    return attributes.axes.length === 0 ? of : this.#one(reductions.sum, [of], attributes);
  }

  cumulativeSum(of: Tensor, axis: number, { reverse = false }: { readonly reverse?: boolean } = {}): Tensor {
    return this.#one(reductions.cumulativeSum, [of], { axis: normalizeAxis(axis, of.shape.length), reverse });
  }

  argMax(of: Tensor): Tensor {
    return this.#one(reductions.argMax, [of], {});
  }

  topK(of: Tensor, k: number): { readonly values: Tensor; readonly indices: Tensor } {
    const [values, indices] = this.apply(reductions.topK, [of], { k }) as [Tensor, Tensor];
    return { values, indices };
  }

  softmax(of: Tensor): Tensor {
    return this.#one(softmax, [of], {});
  }

  logSoftmax(of: Tensor): Tensor {
    return this.#one(logSoftmax, [of], {});
  }

  rmsNorm(of: Tensor, weight: Tensor, epsilon: number): Tensor {
    return only(this.apply(rmsNorm, [of, weight], { epsilon }));
  }

  rotary(of: Tensor, cos: Tensor, sin: Tensor): Tensor {
    return this.#one(rotary, [of, cos, sin], {});
  }

  scaledAttention(query: Tensor, key: Tensor, value: Tensor, bias: Tensor, scale: number): Tensor {
    return only(this.apply(scaledAttention, [query, key, value, bias], { scale }));
  }

  tokenStatistics(logits: Tensor, ids: Tensor): { logprob: Tensor; entropy: Tensor } {
    const [logprob, entropy] = this.apply(tokenStatistics, [logits, ids], {}) as [Tensor, Tensor];
    return { logprob, entropy };
  }

  distribution(logits: Tensor): { probabilities: Tensor; logPartition: Tensor } {
    const [probabilities, logPartition] = this.apply(distribution, [logits], {}) as [Tensor, Tensor];
    return { probabilities, logPartition };
  }
}

function only(outputs: readonly Tensor[]): Tensor {
  const [first] = outputs;
  if (first === undefined) throw new Error('an operation must have outputs');
  return first;
}

function isScalar({ node, shape }: TensorType & { readonly node: Node }, value: number): boolean {
  if (shape.length > 0 || node.operation !== (leaves.constant as Operation)) return false;
  return (node.attributes as { readonly data: HostArray }).data[0] === value;
}

function reduction(of: Tensor, { axes, keep = false }: ReduceOptions) {
  const rank = of.shape.length;
  const normal = (axes ?? [...of.shape.keys()]).map((axis) => normalizeAxis(axis, rank)).sort((a, b) => a - b);
  return { axes: normal, keep };
}
