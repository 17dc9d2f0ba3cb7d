// The float64 interpreter of losses: reverse-mode differentiation over the sampled tokens of a batch. It never reads
// tokens whose mask is 0. Derivatives flow only through chosen branches. A flag next to each adjoint records whether
// any derivative arrived, because 0 * Infinity would give NaN in a branch that was not chosen.
import type { TrainingBatch } from '../contracts/batch.js';
import type { EvaluatedLoss, LiveArrays, LiveName, Loss, LossExpression, LossInputName } from '../contracts/loss.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { actionTokens } from './action-tokens.js';
import { batchColumns } from './batch-columns.js';

/** The sampled tokens of a batch, episode by episode, without the tokens between them. */
interface SampledTokens {
  /** Index into the arrays of the batch, per sampled token. */
  readonly indices: readonly number[];
  /** Half-open range of each episode's sampled tokens; as long as the batch has episodes. */
  readonly ranges: readonly (readonly [start: number, end: number])[];
}

interface Node {
  readonly expression: LossExpression;
  readonly inputs: readonly Node[];
  readonly values: Float64Array;
  /** True if a derivative by a live quantity can flow through this expression. */
  readonly live: boolean;
  readonly adjoint: Float64Array;
  /** 1 where a derivative arrived. */
  readonly reached: Uint8Array;
}

const MISSING_LIVE: { readonly [Name in LiveName]: string } = {
  logprob: 'the policy model does not compute it',
  entropy: 'the policy model does not compute it',
  value: 'the policy model has no value head',
};

/**
 * Computes values and derivatives of a loss on a batch.
 *
 * @throws AgentgymError `AG_LOSS_INPUT` if the loss reads an array that the batch or the policy does not have
 */
export function evaluateLoss(batch: TrainingBatch, live: LiveArrays, loss: Loss): EvaluatedLoss {
  const sampled = sampledTokens(batch);
  const nodes = new Map<LossExpression, Node>();
  const evaluate = (expression: LossExpression): Node => {
    const known = nodes.get(expression);
    if (known !== undefined) return known;
    const inputs = operands(expression).map(evaluate);
    const values = forward(expression, inputs, sampled, batch, live);
    const flows =
      expression.op === 'live' ||
      (expression.op !== 'stopGradient' && expression.op !== 'greater' && inputs.some((input) => input.live));
    const size = flows ? values.length : 0;
    const adjoint = new Float64Array(size);
    const node: Node = { expression, inputs, values, live: flows, adjoint, reached: new Uint8Array(size) };
    nodes.set(expression, node);
    return node;
  };

  const terms: { [name: string]: number } = {};
  for (const [name, expression] of Object.entries(loss.terms)) {
    const term = evaluate(expression);
    let sum = 0;
    sampled.indices.forEach((index, token) => {
      const weight = batch.weight[index] as number;
      sum += weight * (term.values[token] as number);
      if (!term.live) return;
      (term.adjoint[token] as number) += weight;
      term.reached[token] = 1;
    });
    terms[name] = sum;
  }
  const metrics: { [name: string]: number } = {};
  for (const [name, expression] of Object.entries(loss.metrics ?? {})) {
    metrics[name] = evaluate(expression).values.reduce((sum, value) => sum + value, 0);
  }

  const size = batch.rows * batch.width;
  const gradients = { logprob: new Float64Array(size), entropy: new Float64Array(size), value: new Float64Array(size) };
  // A Map keeps the order of insertion, and a node is inserted after its inputs.
  for (const node of [...nodes.values()].reverse()) {
    if (!node.live) continue;
    if (node.expression.op === 'live') {
      const gradient = gradients[node.expression.name];
      sampled.indices.forEach((index, token) => {
        (gradient[index] as number) += node.adjoint[token] as number;
      });
    } else {
      backward(node, sampled);
    }
  }
  return { terms, metrics, gradients };
}

function sampledTokens(batch: TrainingBatch): SampledTokens {
  const episodes = actionTokens(batch);
  let end = 0;
  const ranges = episodes.map(({ indices }) => [end, (end += indices.length)] as const);
  return { indices: episodes.flatMap(({ indices }) => indices), ranges };
}

function operands(expression: LossExpression): readonly LossExpression[] {
  if ('of' in expression) return [expression.of];
  if ('left' in expression) return [expression.left, expression.right];
  return expression.op === 'where' ? [expression.condition, expression.then, expression.otherwise] : [];
}

function forward(
  expression: LossExpression,
  inputs: readonly Node[],
  sampled: SampledTokens,
  batch: TrainingBatch,
  live: LiveArrays,
): Float64Array {
  const values = new Float64Array(sampled.indices.length);
  const x = inputs[0]?.values as Float64Array;
  const y = inputs[1]?.values as Float64Array;
  const each = (of: (x: number, y: number, token: number) => number): Float64Array => {
    for (let token = 0; token < values.length; token += 1) {
      values[token] = of(x?.[token] as number, y?.[token] as number, token);
    }
    return values;
  };
  switch (expression.op) {
    case 'constant':
      return values.fill(expression.value);
    case 'batch': {
      const array = batchArray(batch, expression.name);
      sampled.indices.forEach((index, token) => (values[token] = array(index)));
      return values;
    }
    case 'live': {
      const array = live[expression.name];
      if (array === undefined) throw missing(expression.name, MISSING_LIVE[expression.name]);
      sampled.indices.forEach((index, token) => (values[token] = array[index] as number));
      return values;
    }
    case 'add':
      return each((a, b) => a + b);
    case 'sub':
      return each((a, b) => a - b);
    case 'mul':
      return each((a, b) => a * b);
    case 'div':
      return each((a, b) => a / b);
    case 'min':
      return each((a, b) => Math.min(a, b));
    case 'max':
      return each((a, b) => Math.max(a, b));
    case 'greater':
      return each((a, b) => (a > b ? 1 : 0));
    case 'where':
      return each((condition, then, token) => (condition !== 0 ? then : (inputs[2]?.values[token] as number)));
    case 'exp':
      return each(Math.exp);
    case 'log':
      return each(Math.log);
    case 'logsigmoid':
      return each((a) => Math.min(a, 0) - Math.log1p(Math.exp(-Math.abs(a))));
    case 'stopGradient':
      return x;
    case 'sequenceSum':
    case 'sequenceMean':
      for (const [start, end] of sampled.ranges) {
        let sum = 0;
        for (let token = start; token < end; token += 1) sum += x[token] as number;
        values.fill(expression.op === 'sequenceSum' ? sum : sum / (end - start), start, end);
      }
      return values;
    case 'pairDifference':
      for (const { first, second, end } of pairs(sampled)) {
        values.fill((x[first] as number) - (x[second] as number), first, end);
      }
      return values;
  }
}

/** Passes the adjoint of a node to its inputs. */
function backward(node: Node, sampled: SampledTokens): void {
  const { expression, adjoint, reached, values } = node;
  const send = (input: Node | undefined, token: number, amount: number): void => {
    if (input?.live !== true) return;
    (input.adjoint[token] as number) += amount;
    input.reached[token] = 1;
  };
  const [left, right, otherwise] = node.inputs;
  const x = left?.values as Float64Array;
  const y = right?.values as Float64Array;
  /** Calls back for each token that a derivative reached, with the derivative and the operands. */
  const each = (receive: (token: number, d: number, x: number, y: number) => void): void => {
    for (let token = 0; token < adjoint.length; token += 1) {
      if (reached[token] === 1) receive(token, adjoint[token] as number, x[token] as number, y?.[token] as number);
    }
  };
  switch (expression.op) {
    case 'add':
    case 'sub':
      return each((token, d) => {
        send(left, token, d);
        send(right, token, expression.op === 'add' ? d : -d);
      });
    case 'mul':
      return each((token, d, a, b) => {
        send(left, token, d * b);
        send(right, token, d * a);
      });
    case 'div':
      return each((token, d, a, b) => {
        send(left, token, d / b);
        send(right, token, (-d * a) / (b * b));
      });
    case 'min':
      return each((token, d, a, b) => send(a <= b ? left : right, token, d));
    case 'max':
      return each((token, d, a, b) => send(a >= b ? left : right, token, d));
    case 'where':
      return each((token, d, condition) => send(condition !== 0 ? right : otherwise, token, d));
    case 'exp':
      return each((token, d) => send(left, token, d * (values[token] as number)));
    case 'log':
      return each((token, d, a) => send(left, token, d / a));
    case 'logsigmoid':
      return each((token, d, a) => send(left, token, d / (1 + Math.exp(a))));
    case 'sequenceSum':
    case 'sequenceMean':
      for (const [start, end] of sampled.ranges) {
        const sum = collect(node, start, end);
        const share = expression.op === 'sequenceSum' ? sum : sum === undefined ? undefined : sum / (end - start);
        if (share !== undefined) for (let token = start; token < end; token += 1) send(left, token, share);
      }
      return;
    case 'pairDifference':
      for (const { first, second, end } of pairs(sampled)) {
        const sum = collect(node, first, end);
        if (sum === undefined) continue;
        send(left, first, sum);
        send(left, second, -sum);
      }
      return;
    case 'constant':
    case 'batch':
    case 'live':
    case 'greater':
    case 'stopGradient':
      // Leaves, and operations without derivatives.
      return;
  }
}

/** Sum of the derivatives that reached a range, or undefined if none did. */
function collect(node: Node, start: number, end: number): number | undefined {
  let sum: number | undefined;
  for (let token = start; token < end; token += 1) {
    if (node.reached[token] === 1) sum = (sum ?? 0) + (node.adjoint[token] as number);
  }
  return sum;
}

/**
 * First sampled tokens of episodes 2k and 2k + 1, and the ends of both. A pair with an empty episode is left out; its
 * difference is 0.
 */
function* pairs({ ranges }: SampledTokens): Generator<{ first: number; second: number; end: number }> {
  for (let episode = 0; episode + 1 < ranges.length; episode += 2) {
    const [first, second] = ranges[episode] as readonly [number, number];
    const [, end] = ranges[episode + 1] as readonly [number, number];
    if (first < second && second < end) yield { first, second, end };
  }
}

function batchArray(batch: TrainingBatch, name: LossInputName): (index: number) => number {
  const { per, role } = batchColumns[name];
  const array = batch[name];
  if (array === undefined) {
    const asked = role === undefined ? '' : `: an algorithm has to ask for the role \`${role}\``;
    throw missing(name, `the batch does not have it${asked}`);
  }
  return per === 'row'
    ? (index) => array[Math.floor(index / batch.width)] as number
    : (index) => array[index] as number;
}

function missing(name: string, why: string): AgentgymError {
  return new AgentgymError('AG_LOSS_INPUT', { message: `the loss reads \`${name}\`, but ${why}` });
}
