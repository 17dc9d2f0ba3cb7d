// Recognises losses that have a name. A term is compared with each of them where the ratio is small, equal to 1, large
// and at its limits, with random inputs for everything else that a loss can read. So an algorithm need not say which
// loss it has, and a name cannot be wrong.
import type { TrainingBatch } from '../contracts/batch.js';
import type { LiveArrays, Loss, LossExpression, NamedLoss } from '../contracts/loss.js';
import { emptyBatch } from './batch-columns.js';
import { evaluateLoss } from './evaluate-loss.js';
import { lossInputs as inputs, lossOperations as ops } from './loss-operations.js';

/** The names of the terms that equal a loss with a name. */
export function nameTerms(loss: Loss): { readonly [term: string]: NamedLoss | undefined } {
  const probe = makeProbe(ROWS, WIDTH);
  return Object.fromEntries(Object.entries(loss.terms).map(([name, term]) => [name, nameOf(term, probe)]));
}

/** Log of the largest ratio that is tried. Bounds beyond it count as none. */
const FAR = 30;

const ROWS = 16;
const WIDTH = 6;
/** Relative to the larger of both numbers: rounding in float64. */
const TOLERANCE = 1e-9;

function nameOf(term: LossExpression, probe: Probe): NamedLoss | undefined {
  const found = measure(term, probe);
  if (found === undefined) return undefined;
  const candidates: NamedLoss[] = [
    { name: 'cross_entropy' },
    { name: 'policy_gradient' },
    { name: 'importance_sampling' },
    { name: 'ppo', low: valueAt(term, -FAR, -1), high: -valueAt(term, FAR, 1) },
    { name: 'cispo', low: valueAt(term, -FAR, 1), high: valueAt(term, FAR, 1) },
  ];
  return candidates.map(withoutFarBounds).find((candidate) => {
    const expected = hasBounds(candidate) && measure(expressionOf(candidate), probe);
    return expected && expected.every((number, index) => close(number, found[index] as number));
  });
}

function hasBounds(loss: NamedLoss): boolean {
  return !('low' in loss) || (loss.low >= 0 && loss.low <= loss.high);
}

function withoutFarBounds(loss: NamedLoss): NamedLoss {
  if (!('low' in loss)) return loss;
  const { name, low, high } = loss;
  return { name, low: low < 2 * Math.exp(-FAR) ? 0 : low, high: high > 0.5 * Math.exp(FAR) ? Infinity : high };
}

function expressionOf(loss: NamedLoss): LossExpression {
  const { logprob, logprobs, advantages } = inputs;
  const ratio = ops.exp(ops.sub(logprob, logprobs));
  const clipped = (low: number, high: number) => ops.clip(ratio, low, Math.min(high, Number.MAX_VALUE));
  const minus = (objective: LossExpression) => ops.sub(ops.constant(0), objective);
  switch (loss.name) {
    case 'cross_entropy':
      return minus(logprob);
    case 'policy_gradient':
      return minus(ops.mul(advantages, logprob));
    case 'importance_sampling':
      return minus(ops.mul(ratio, advantages));
    case 'ppo': {
      const surrogate = ops.mul(clipped(loss.low, loss.high), advantages);
      return minus(ops.min(ops.mul(ratio, advantages), surrogate));
    }
    case 'cispo': {
      const weight = ops.stopGradient(clipped(loss.low, loss.high));
      return minus(ops.mul(ops.mul(weight, advantages), logprob));
    }
  }
}

interface Probe {
  readonly batch: TrainingBatch;
  readonly live: Required<LiveArrays>;
}

/** The value on each token, and the derivative by each live quantity. Undefined if one is not a number. */
function measure(term: LossExpression, { batch, live }: Probe): readonly number[] | undefined {
  const { gradients } = evaluateLoss(batch, live, { terms: { term } });
  const values = Array.from({ length: ROWS * WIDTH }, (_, index) => {
    const weight = new Float64Array(ROWS * WIDTH);
    weight[index] = 1;
    return evaluateLoss({ ...batch, weight }, live, { terms: { term } }).terms['term'] as number;
  });
  const all = [...values, ...gradients.logprob, ...gradients.entropy, ...gradients.value];
  return all.every(Number.isFinite) ? all : undefined;
}

/** The value of a term on one token whose log probability is -1. */
function valueAt(term: LossExpression, logRatio: number, advantage: number): number {
  const probe = makeProbe(1, 1);
  probe.live.logprob[0] = -1;
  probe.batch.logprobs[0] = -1 - logRatio;
  probe.batch.advantages[0] = advantage;
  return evaluateLoss({ ...probe.batch, weight: Float64Array.of(1) }, probe.live, { terms: { term } }).terms[
    'term'
  ] as number;
}

/** Tokens with all kinds of ratios and advantages. */
function makeProbe(rows: number, width: number): Probe {
  const size = rows * width;
  let column = 0;
  // Multiples of irrational numbers, modulo 1, are spread evenly and repeat nowhere.
  const numbers = (low: number, high: number): Float64Array => {
    column += 1;
    const irrational = Math.sqrt(2 + 3 * column);
    return Float64Array.from({ length: size }, (_, index) => low + (high - low) * (((index + 1) * irrational) % 1));
  };
  const logprob = numbers(-8, -0.01);
  const far = numbers(-FAR, FAR);
  const near = numbers(-1, 1);
  const logRatio = near.map((small, index) => [small, 0, far[index] as number, 4 * small][index % 4] as number);
  const batch = {
    ...emptyBatch({ rows, width, temperature: 1 }),
    length: new Int32Array(rows).fill(width),
    mask: new Uint8Array(size).fill(1),
    turn: new Int32Array(size),
    weight: numbers(0.1, 1),
    logprobs: logprob.map((live, index) => live - (logRatio[index] as number)),
    referenceLogprobs: numbers(-8, -0.01),
    values: numbers(-2, 2),
    rewards: numbers(-2, 2),
    advantages: numbers(-2, 2),
    returns: numbers(-2, 2),
    klCoefficient: numbers(0, 1),
    truncated: Uint8Array.from({ length: rows }, (_, row) => row % 2),
  };
  return { batch, live: { logprob, entropy: numbers(0, 3), value: numbers(-2, 2) } };
}

function close(a: number, b: number): boolean {
  return Math.abs(a - b) <= TOLERANCE * Math.max(Math.abs(a), Math.abs(b)) + Number.MIN_VALUE;
}
