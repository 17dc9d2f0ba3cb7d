// Losses are expression trees. This file evaluates them and their derivatives in reverse mode: forward over the tree,
// then from each term back to the live quantities. To change the model, you need not change this file.
import type { LiveName, Loss, LossExpression, TrainingBatch } from '@agentgym/cli';

/** [rows, width] each. Only values where the mask is 1 are read. */
export type LiveArrays = { readonly [Name in LiveName]: Float64Array };

export interface LossValue {
  /** Each term's sum over sampled tokens of weight * term. */
  readonly terms: { readonly [name: string]: number };
  /** Each metric's sum over sampled tokens. */
  readonly metrics: { readonly [name: string]: number };
  /** [rows, width] derivatives of the sum of all terms; 0 where the mask is 0. */
  readonly gradients: LiveArrays;
}

/** An expression with its value on each sampled token, and the derivative of the loss by it. */
interface Node {
  readonly expression: LossExpression;
  readonly operands: readonly Node[];
  readonly value: Float64Array;
  readonly adjoint: Float64Array;
}

/** Half-open range of each row's sampled tokens in the list of all sampled tokens. */
type Ranges = readonly (readonly [start: number, end: number])[];

export function evaluate(batch: TrainingBatch, live: LiveArrays, loss: Loss): LossValue {
  const indices: number[] = [];
  const ranges = Array.from({ length: batch.rows }, (_, row) => {
    const start = indices.length;
    for (let i = row * batch.width; i < (row + 1) * batch.width; i += 1) if (batch.mask[i] === 1) indices.push(i);
    return [start, indices.length] as const;
  });
  const nodes = new Map<LossExpression, Node>();
  const visit = (expression: LossExpression): Node => {
    const known = nodes.get(expression);
    if (known !== undefined) return known;
    const operands = operandsOf(expression).map(visit);
    const value = valueOf(expression, operands, { batch, live, indices, ranges });
    const node = { expression, operands, value, adjoint: new Float64Array(indices.length) };
    nodes.set(expression, node);
    return node;
  };
  const sumOver = (of: (token: number, index: number) => number): number =>
    indices.reduce((sum, index, token) => sum + of(token, index), 0);

  const terms = Object.entries(loss.terms).map(([name, expression]): [string, number] => {
    const { value, adjoint } = visit(expression);
    indices.forEach((index, token) => ((adjoint[token] as number) += batch.weight[index] as number));
    return [name, sumOver((token, index) => (batch.weight[index] as number) * (value[token] as number))];
  });
  const metrics = Object.entries(loss.metrics ?? {}).map(([name, expression]): [string, number] => {
    const { value } = visit(expression);
    return [name, sumOver((token) => value[token] as number)];
  });

  const empty = (): Float64Array => new Float64Array(batch.rows * batch.width);
  const gradients = { logprob: empty(), entropy: empty(), value: empty() };
  // A Map keeps the order of insertion, and a node is inserted after its operands.
  for (const node of [...nodes.values()].reverse()) {
    if (node.expression.op !== 'live') {
      sendBack(node, ranges);
      continue;
    }
    const gradient = gradients[node.expression.name];
    indices.forEach((index, token) => ((gradient[index] as number) += node.adjoint[token] as number));
  }
  return { terms: Object.fromEntries(terms), metrics: Object.fromEntries(metrics), gradients };
}

function operandsOf(expression: LossExpression): readonly LossExpression[] {
  if ('of' in expression) return [expression.of];
  if ('left' in expression) return [expression.left, expression.right];
  return expression.op === 'where' ? [expression.condition, expression.then, expression.otherwise] : [];
}

function valueOf(
  expression: LossExpression,
  [a, b, c]: readonly Node[],
  given: {
    readonly batch: TrainingBatch;
    readonly live: LiveArrays;
    readonly indices: readonly number[];
    readonly ranges: Ranges;
  },
): Float64Array {
  const { batch, live, indices, ranges } = given;
  const each = (of: (x: number, y: number, token: number) => number): Float64Array =>
    Float64Array.from(indices, (_, token) => of(a?.value[token] as number, b?.value[token] as number, token));
  const read = (array: (index: number) => number): Float64Array => Float64Array.from(indices, array);
  const overRows = (of: (sum: number, count: number) => number): Float64Array => {
    const result = new Float64Array(indices.length);
    for (const [start, end] of ranges) {
      const sum = (a as Node).value.subarray(start, end).reduce((total, x) => total + x, 0);
      result.fill(of(sum, end - start), start, end);
    }
    return result;
  };
  switch (expression.op) {
    case 'constant':
      return read(() => expression.value);
    case 'live':
      return read((index) => live[expression.name][index] as number);
    case 'batch': {
      if (expression.name === 'truncated') {
        return read((index) => batch.truncated[Math.floor(index / batch.width)] as number);
      }
      const array = batch[expression.name];
      if (array === undefined) throw new Error(`the loss reads ${expression.name}, which the batch does not have`);
      return read((index) => array[index] as number);
    }
    case 'add':
      return each((x, y) => x + y);
    case 'sub':
      return each((x, y) => x - y);
    case 'mul':
      return each((x, y) => x * y);
    case 'div':
      return each((x, y) => x / y);
    case 'min':
      return each((x, y) => Math.min(x, y));
    case 'max':
      return each((x, y) => Math.max(x, y));
    case 'greater':
      return each((x, y) => Number(x > y));
    case 'where':
      return each((x, y, token) => (x !== 0 ? y : (c?.value[token] as number)));
    case 'exp':
      return each(Math.exp);
    case 'log':
      return each(Math.log);
    case 'logsigmoid':
      return each((x) => Math.min(x, 0) - Math.log1p(Math.exp(-Math.abs(x))));
    case 'stopGradient':
      return each((x) => x);
    case 'sequenceSum':
      return overRows((sum) => sum);
    case 'sequenceMean':
      return overRows((sum, count) => sum / count);
    case 'pairDifference': {
      const result = new Float64Array(indices.length);
      for (const [first, second, end] of pairs(ranges)) {
        result.fill(((a as Node).value[first] as number) - ((a as Node).value[second] as number), first, end);
      }
      return result;
    }
  }
}

/** Adds a node's derivative to its operands. A derivative of 0 is not sent, because 0 times Infinity would be NaN. */
function sendBack({ expression, operands: [a, b, c], value, adjoint }: Node, ranges: Ranges): void {
  const each = (receive: (d: number, x: number, y: number, token: number) => void): void =>
    adjoint.forEach((d, token) => {
      if (d !== 0) receive(d, a?.value[token] as number, b?.value[token] as number, token);
    });
  const send = (to: Node | undefined, token: number, amount: number): void => {
    if (to !== undefined) (to.adjoint[token] as number) += amount;
  };
  const overRows = (of: (sum: number, count: number) => number): void => {
    for (const [start, end] of ranges) {
      const sum = adjoint.subarray(start, end).reduce((total, d) => total + d, 0);
      if (sum !== 0) for (let token = start; token < end; token += 1) send(a, token, of(sum, end - start));
    }
  };
  switch (expression.op) {
    case 'add':
    case 'sub':
      return each((d, _x, _y, token) => {
        send(a, token, d);
        send(b, token, expression.op === 'add' ? d : -d);
      });
    case 'mul':
      return each((d, x, y, token) => {
        send(a, token, d * y);
        send(b, token, d * x);
      });
    case 'div':
      return each((d, x, y, token) => {
        send(a, token, d / y);
        send(b, token, (-d * x) / (y * y));
      });
    case 'min':
      return each((d, x, y, token) => send(x <= y ? a : b, token, d));
    case 'max':
      return each((d, x, y, token) => send(x >= y ? a : b, token, d));
    case 'where':
      return each((d, x, _y, token) => send(x !== 0 ? b : c, token, d));
    case 'exp':
      return each((d, _x, _y, token) => send(a, token, d * (value[token] as number)));
    case 'log':
      return each((d, x, _y, token) => send(a, token, d / x));
    case 'logsigmoid':
      return each((d, x, _y, token) => send(a, token, d / (1 + Math.exp(x))));
    case 'sequenceSum':
      return overRows((sum) => sum);
    case 'sequenceMean':
      return overRows((sum, count) => sum / count);
    case 'pairDifference':
      for (const [first, second, end] of pairs(ranges)) {
        const sum = adjoint.subarray(first, end).reduce((total, d) => total + d, 0);
        send(a, first, sum);
        send(a, second, -sum);
      }
      return;
    case 'constant':
    case 'live':
    case 'batch':
    case 'greater':
    case 'stopGradient':
      // Leaves, and operations that no derivative passes.
      return;
  }
}

/** First sampled tokens of rows 2k and 2k + 1, and the end of both. Pairs with an empty row are left out. */
function* pairs(ranges: Ranges): Generator<readonly [first: number, second: number, end: number]> {
  for (let row = 0; row + 1 < ranges.length; row += 2) {
    const [[first, second], [, end]] = [ranges[row], ranges[row + 1]] as [[number, number], [number, number]];
    if (first < second && second < end) yield [first, second, end];
  }
}
