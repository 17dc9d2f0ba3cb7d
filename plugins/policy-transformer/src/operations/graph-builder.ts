import type { ElementType, HostArray, Shape, Tensor } from './tensor.js';

/** How a matrix product reads its operands. */
export interface MatmulOptions {
  /** Read the last two axes of the left operand swapped. */
  readonly transposeLeft?: boolean;
  /** Read the last two axes of the right operand swapped. */
  readonly transposeRight?: boolean;
  /** Factor of the product. Default: 1. */
  readonly scale?: number;
  /** The left operand has few rows in every run: see `RowRules.mostFewRows`. Both operands have rank 2. Default: false. */
  readonly fewRows?: boolean;
  /** An engine may round both operands and the product to bfloat16, if it is asked to. Default: false. */
  readonly coarse?: boolean;
}

/** The axes that are reduced (negative ones count from the end; default: all), and whether they stay with size 1. */
export interface ReduceOptions {
  readonly axes?: readonly number[];
  readonly keep?: boolean;
}

/**
 * Every operation, as a function from tensors to a tensor. Shapes are checked immediately; a mismatch throws an error
 * with both shapes. For operands of type `Tensor | number`, a number means a float32 scalar. Binary operations
 * broadcast like numpy. All are differentiable unless noted.
 */
export interface GraphBuilder {
  /** An input that each run sets. Inputs of the same name must have the same type. */
  input(name: string, shape: Shape, type?: ElementType): Tensor;
  /**
   * Numbers that the executor keeps between runs. Several names are arrays that are joined along the first axis. State
   * of the same names must have the same shape and type.
   */
  state(name: string | readonly string[], shape: Shape, type?: ElementType): Tensor;
  /** A constant of the graph. A number is a float32 scalar. */
  constant(value: number): Tensor;
  constant(data: HostArray, shape: Shape): Tensor;
  /** The same number everywhere. */
  fill(value: number, shape: Shape): Tensor;
  /** [end - start] int32 numbers start, start + 1, ... */
  range(start: number, end: number): Tensor;

  add(left: Tensor | number, right: Tensor | number): Tensor;
  sub(left: Tensor | number, right: Tensor | number): Tensor;
  mul(left: Tensor | number, right: Tensor | number): Tensor;
  div(left: Tensor | number, right: Tensor | number): Tensor;
  /** On a tie the derivative goes to the left operand. */
  max(left: Tensor | number, right: Tensor | number): Tensor;
  /** On a tie the derivative goes to the left operand. */
  min(left: Tensor | number, right: Tensor | number): Tensor;
  neg(of: Tensor): Tensor;
  exp(of: Tensor): Tensor;
  log(of: Tensor): Tensor;
  sqrt(of: Tensor): Tensor;
  sigmoid(of: Tensor): Tensor;
  /** x * sigmoid(x). */
  silu(of: Tensor): Tensor;
  /** log(1 + exp(x)), stable. */
  softplus(of: Tensor): Tensor;
  /** log(sigmoid(x)), stable. */
  logsigmoid(of: Tensor): Tensor;
  /** The same values; no derivative flows through. */
  stopGradient(of: Tensor): Tensor;

  /** Comparisons of float32 or int32 return bool and have no derivative. */
  equal(left: Tensor | number, right: Tensor | number): Tensor;
  less(left: Tensor | number, right: Tensor | number): Tensor;
  lessOrEqual(left: Tensor | number, right: Tensor | number): Tensor;
  greater(left: Tensor | number, right: Tensor | number): Tensor;
  greaterOrEqual(left: Tensor | number, right: Tensor | number): Tensor;
  /** For bool tensors. */
  or(left: Tensor, right: Tensor): Tensor;
  /** Selects, never multiplies: a NaN in the branch not taken reaches neither the value nor the derivative. */
  where(condition: Tensor, then: Tensor | number, otherwise: Tensor | number): Tensor;
  /** float32 to int32 rounds towards 0; bool is 0 or 1. No derivative. */
  cast(of: Tensor, type: ElementType): Tensor;

  /**
   * Product over the last axis of `left` and the second to last of `right`, leading axes broadcast. A `right` of rank 2
   * takes any `left`: Linear layers with weights [out, in] are `matmul(x, weight, {transposeRight: true})`.
   */
  matmul(left: Tensor, right: Tensor, options?: MatmulOptions): Tensor;
  /**
   * `left` [n, inputs] times the transposed matrix of 8-bit codes [outputs, inputs], int8, with a scale for each output
   * [outputs]: [n, outputs]. Codes must be in [-64, 64]. Rows of `left` are rounded to 8 bits with a scale each. The
   * derivative is an error.
   */
  int8Matmul(left: Tensor, codes: Tensor, scales: Tensor): Tensor;
  /**
   * `left` [n, inputs] times the transposed matrix of 4-bit codes [outputs, blocks, 16], uint8, with a scale for each
   * block of 32 inputs [outputs, blocks]: [n, outputs]. A byte holds two codes, the first in the low half. A code c is
   * (c - 8) * scale. `left` is rounded to 8 bits by blocks. The derivative is an error.
   */
  int4Matmul(left: Tensor, codes: Tensor, scales: Tensor): Tensor;

  /** One size may be -1: the remaining size. */
  reshape(of: Tensor, shape: Shape): Tensor;
  /** `order[i]` is the old axis that becomes axis i. */
  transpose(of: Tensor, order: readonly number[]): Tensor;
  /** Half-open range of one axis; negative numbers count from the end. */
  slice(of: Tensor, axis: number, start: number, end: number): Tensor;
  concat(tensors: readonly Tensor[], axis: number): Tensor;
  /** Broadcasts to a shape. */
  expand(of: Tensor, shape: Shape): Tensor;
  /** Zeros before and after on one axis. */
  pad(of: Tensor, axis: number, before: number, after: number): Tensor;

  /**
   * Rows of `table` ([n, ...]) by int32 ids of any shape: [...ids, ...]. Every id must be in [0, n). If the relevant
   * ids are distinct, `inverse`, int32 [n], makes the derivative a copy too. It gives the index of each table row in
   * the ids, or the number of ids if the row has no id. For rows with several ids it is [n, m]: the indices of each,
   * whose derivatives are added in order.
   */
  gather(table: Tensor, ids: Tensor, inverse?: Tensor): Tensor;
  /**
   * The adjoint of `gather`: [rows, ...] in which row r is the sum of `values[i]` with ids[i] = r. Repeated ids are
   * summed in order.
   */
  scatterSum(values: Tensor, ids: Tensor, rows: number): Tensor;
  /** Along the last axis: out[..., j] = of[..., ids[..., j]]; leading axes equal. */
  gatherElements(of: Tensor, ids: Tensor): Tensor;
  /**
   * The adjoint of `gatherElements`: `base` with values[..., j] added at base[..., ids[..., j]]; repeated ids add up.
   */
  addElements(base: Tensor, ids: Tensor, values: Tensor): Tensor;
  /** float32 [...ids, depth]: 1 at the id, 0 elsewhere. No derivative. */
  oneHot(ids: Tensor, depth: number): Tensor;

  sum(of: Tensor, options?: ReduceOptions): Tensor;
  /** Running sum along one axis, inclusive; `reverse` runs from the end. */
  cumulativeSum(of: Tensor, axis: number, options?: { readonly reverse?: boolean }): Tensor;
  /**
   * int32 index of the largest number of the last axis, the lowest index on a tie. Removes the last axis. No
   * derivative.
   */
  argMax(of: Tensor): Tensor;
  /** The k largest numbers of the last axis, in descending order, and their int32 indices. No derivative. */
  topK(of: Tensor, k: number): { readonly values: Tensor; readonly indices: Tensor };

  /** Over the last axis. */
  softmax(of: Tensor): Tensor;
  /** Over the last axis. */
  logSoftmax(of: Tensor): Tensor;

  /** x / sqrt(mean(x^2) + epsilon) * weight over the last axis (Zhang & Sennrich 2019). */
  rmsNorm(of: Tensor, weight: Tensor, epsilon: number): Tensor;
  /**
   * Rotary positions (Su et al. 2021), halves rotated as Llama does: `of` [rows, width, heads * headWidth]; `cos` and
   * `sin` of each position's angles, [rows, width, headWidth / 2] (gather them from a table by position). The output
   * has the same shape. The tables get no derivative.
   */
  rotary(of: Tensor, cos: Tensor, sin: Tensor): Tensor;
  /**
   * softmax(scale * query key^T + bias) value over the last two axes: query [..., n, width], key [..., m, width], value
   * [..., m, v], leading axes equal; `bias`, float32, broadcasts to [..., n, m] (-1e9 masks; no derivative). Returns
   * [..., n, v].
   */
  scaledAttention(query: Tensor, key: Tensor, value: Tensor, bias: Tensor, scale: number): Tensor;
  /**
   * Statistics of logits [n, vocabulary] that training reads, for int32 ids [n]: log probability of the id and entropy
   * (nats) of the distribution, both [n].
   */
  tokenStatistics(logits: Tensor, ids: Tensor): { readonly logprob: Tensor; readonly entropy: Tensor };
  /**
   * The softmax of logits [n, vocabulary], and the logarithm of its denominator [n]. A log probability is the logit less
   * that.
   */
  distribution(logits: Tensor): { readonly probabilities: Tensor; readonly logPartition: Tensor };
}
