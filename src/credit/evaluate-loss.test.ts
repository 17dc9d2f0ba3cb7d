import { describe, expect, it } from 'vitest';

import type { TrainingBatch } from '../contracts/batch.js';
import type { KlEstimator, LossAggregation } from '../contracts/credit.js';
import type { LiveArrays, Loss, LossExpression } from '../contracts/loss.js';
import { spoilArray, spoilUnsampled } from '../testing/spoil-unsampled.js';
import { aggregationWeights } from './aggregation-weights.js';
import { evaluateLoss } from './evaluate-loss.js';
import { goldenNames, loadGolden } from './fixtures/golden-batch.js';
import { klExpression } from './kl-expression.js';
import { lossInputs as inputs, lossOperations as ops } from './loss-operations.js';

const negative = (of: LossExpression): LossExpression => ops.sub(ops.constant(0), of);
const ratio = ops.exp(ops.sub(inputs.logprob, inputs.logprobs));

/** -min(ratio A, clip(ratio) A), and if A < 0, at most -dual A (arXiv 1912.09729). */
function clipped(low: number, high: number, dual: number | null, of = ratio): LossExpression {
  const { advantages } = inputs;
  const surrogate = ops.min(ops.mul(of, advantages), ops.mul(ops.clip(of, 1 - low, 1 + high), advantages));
  if (dual === null) return negative(surrogate);
  const bounded = ops.max(surrogate, ops.mul(ops.constant(dual), advantages));
  return negative(ops.where(ops.greater(ops.constant(0), advantages), bounded, surrogate));
}

/** Half of the larger of the squared errors of the value and of the value clipped to the range around the old one. */
function valueClip(range: number): LossExpression {
  const near = ops.add(inputs.values, ops.clip(ops.sub(inputs.value, inputs.values), -range, range));
  const square = (of: LossExpression): LossExpression => ops.mul(of, of);
  const errors = [inputs.value, near].map((value) => square(ops.sub(value, inputs.returns))) as [
    LossExpression,
    LossExpression,
  ];
  return ops.mul(ops.constant(0.5), ops.max(...errors));
}

const aggregations: readonly (readonly [recorded: string, LossAggregation])[] = [
  ['token-mean', 'token-mean'],
  ['seq-mean-token-sum', 'sequence-mean-token-sum'],
  ['seq-mean-token-mean', 'sequence-mean-token-mean'],
  ['seq-mean-token-sum-norm', 'constant-length'],
];

const losses: readonly (readonly [recorded: string, LossExpression, live?: 'value'])[] = [
  ['ppo clip 0.2', clipped(0.2, 0.2, 3)],
  ['ppo clip 0.2/0.28', clipped(0.2, 0.28, 3)],
  ['ppo clip 0.2 dual 1.5', clipped(0.2, 0.2, 1.5)],
  ['ppo clip 0.2 no dual', clipped(0.2, 0.2, null)],
  ['value clip 0.2', valueClip(0.2), 'value'],
  ['value clip 0.5', valueClip(0.5), 'value'],
];

const cispo = negative(
  ops.mul(ops.mul(ops.stopGradient(ops.clip(ratio, 0.8, 1.28)), inputs.advantages), inputs.logprob),
);
const sequenceRatio = ops.exp(ops.sequenceMean(ops.sub(inputs.logprob, inputs.logprobs)));
/**
 * As verl computes it: the value is the sequence's ratio, and the derivative is that of the token's own log
 * probability.
 */
const tokenwise = ops.mul(
  ops.stopGradient(sequenceRatio),
  ops.exp(ops.sub(inputs.logprob, ops.stopGradient(inputs.logprob))),
);

function close(actual: ArrayLike<number>, expected: readonly number[], digits: number): void {
  expect(actual.length).toBe(expected.length);
  const worst = Math.max(...expected.map((value, i) => Math.abs(value - (actual[i] as number))));
  expect(worst).toBeLessThan(10 ** -digits);
}

describe.each(goldenNames)('losses on the recorded batch `%s`', (name) => {
  const { batch, live, recorded } = loadGolden(name);
  const weighted = (aggregation: LossAggregation): TrainingBatch => ({
    ...batch,
    weight: aggregationWeights(batch, aggregation, batch.width),
  });

  // Goes red when min sends its derivative to the larger operand, when clip lets derivatives out of bounds, or when a
  // row without sampled tokens counts as a sequence.
  it.each(losses.flatMap((loss) => aggregations.map((mode) => [`${loss[0]} ${mode[0]}`, loss, mode] as const)))(
    '%s: value as the reference, derivative as verl',
    (key, [, expression, by], [, aggregation]) => {
      const result = evaluateLoss(weighted(aggregation), live, { terms: { loss: expression } });
      const { verl, reference } = recorded.losses[key]!;
      expect(result.terms['loss']).toBeCloseTo(reference.loss, 7);
      if (verl !== undefined) close(result.gradients[by ?? 'logprob'], verl.gradient.flat(), 6);
    },
  );

  it('cispo: value and derivative', () => {
    const result = evaluateLoss(weighted('token-mean'), live, { terms: { loss: cispo } });
    const { verl, reference } = recorded.losses['cispo 0.2/0.28 token-mean']!;
    expect(result.terms['loss']).toBeCloseTo(reference.loss, 7);
    close(result.gradients.logprob, verl!.gradient.flat(), 6);
  });

  it('gspo: value with the ratio of the sequence, derivative as verl writes it', () => {
    const batch = weighted('sequence-mean-token-mean');
    const { verl, reference } = recorded.losses['gspo 0.1 seq-mean-token-mean']!;
    const plain = evaluateLoss(batch, live, { terms: { loss: clipped(0.1, 0.1, null, sequenceRatio) } });
    expect(plain.terms['loss']).toBeCloseTo(reference.loss, 7);
    const result = evaluateLoss(batch, live, { terms: { loss: clipped(0.1, 0.1, null, tokenwise) } });
    expect(result.terms['loss']).toBeCloseTo(reference.loss, 7);
    close(result.gradients.logprob, verl!.gradient.flat(), 6);
  });

  it.each<[KlEstimator, string]>([
    ['k1', 'k1'],
    ['abs', 'abs'],
    ['k2', 'k2'],
    ['k3', 'k3'],
    ['k3-straight-through', 'k3 straight-through'],
  ])('%s: value and derivative', (estimator, key) => {
    const loss: Loss = { terms: { kl: klExpression(ops, inputs, estimator) } };
    const result = evaluateLoss(weighted('token-mean'), live, loss);
    const { verl, reference } = recorded.kl[key]!;
    expect(result.terms['kl']).toBeCloseTo((reference ?? verl)['token-mean'], 7);
    close(result.gradients.logprob, verl.gradient.flat(), 6);
  });

  it('metrics are unweighted sums: the clipped share and the approximate divergence', () => {
    const over = ops.mul(ops.clip(ratio, 0.8, 1.2), inputs.advantages);
    const metrics = {
      clipped: ops.greater(ops.mul(ratio, inputs.advantages), over),
      kl: ops.sub(inputs.logprobs, inputs.logprob),
    };
    const result = evaluateLoss(batch, live, { terms: {}, metrics });
    const { reference } = recorded.losses['ppo clip 0.2 token-mean']!;
    const tokens = batch.mask.reduce((sum, sampled) => sum + sampled, 0);
    expect(result.metrics['clipped']! / tokens).toBeCloseTo(reference.clip_fraction, 9);
    expect(result.metrics['kl']! / tokens).toBeCloseTo(reference.approximate_kl, 7);
  });
});

describe('evaluateLoss', () => {
  const { batch: golden, live } = loadGolden('sparse');
  const entropy = live.logprob.map((logprob) => Math.abs(logprob) + 0.1);
  const arrays: LiveArrays = { ...live, entropy };
  const batch: TrainingBatch = { ...golden, weight: aggregationWeights(golden, 'sequence-mean-token-mean') };
  const everything: Loss = {
    terms: {
      pairs: negative(
        ops.logsigmoid(ops.pairDifference(ops.sequenceSum(ops.sub(inputs.logprob, inputs.referenceLogprobs)))),
      ),
      quotient: ops.div(ops.add(inputs.value, inputs.truncated), ops.exp(inputs.entropy)),
      logarithm: ops.log(ops.add(ops.mul(inputs.value, inputs.value), ops.constant(0.5))),
      bounded: ops.max(ops.clip(inputs.logprob, -2, -0.5), ops.min(inputs.value, inputs.rewards)),
      chosen: ops.where(
        ops.greater(inputs.logprob, ops.constant(-2)),
        ops.sequenceMean(ops.mul(inputs.entropy, inputs.value)),
        sequenceRatio,
      ),
    },
  };
  const total = (loss: Loss, of: LiveArrays): number =>
    Object.values(evaluateLoss(batch, of, loss).terms).reduce((sum, term) => sum + term, 0);

  // The derivative of every operation, against central differences; goes red when any rule of `backward` is changed.
  it.each(['logprob', 'entropy', 'value'] as const)('has the derivative of every operation by %s', (name) => {
    const { gradients } = evaluateLoss(batch, arrays, everything);
    const step = 1e-6;
    for (let index = 0; index < batch.mask.length; index += 1) {
      const moved = (by: number): LiveArrays => ({
        ...arrays,
        [name]: arrays[name]!.with(index, arrays[name]![index]! + by),
      });
      const slope = (total(everything, moved(step)) - total(everything, moved(-step))) / (2 * step);
      expect(gradients[name][index]).toBeCloseTo(slope, 7);
    }
  });

  // Goes red when masks are multiplied instead of selected.
  it('reads nothing where the mask is 0', () => {
    const spoil = (array: Float64Array): Float64Array => spoilArray(batch, array);
    const noise = { logprob: spoil(live.logprob), entropy: spoil(entropy), value: spoil(live.value) };
    expect(evaluateLoss(spoilUnsampled(batch), noise, everything)).toEqual(evaluateLoss(batch, arrays, everything));
  });

  // Goes red when adjoints are multiplied through without the `reached` flag: 0 * Infinity is NaN.
  it('sends no derivative into a branch that was not taken', () => {
    const explosive = ops.exp(ops.mul(ops.constant(-1e6), inputs.logprob));
    const chosen = ops.where(ops.greater(inputs.logprob, ops.constant(1)), explosive, inputs.logprob);
    const { terms, gradients } = evaluateLoss(batch, arrays, { terms: { chosen } });
    expect(Number.isFinite(terms['chosen'])).toBe(true);
    expect(gradients.logprob).toEqual(batch.weight);
  });

  it('is the same after a trip through JSON, and does not count a shared subtree twice', () => {
    const shared = ops.mul(ratio, ratio);
    const loss: Loss = { terms: { a: ops.add(shared, shared), b: shared } };
    const flat: Loss = { terms: { a: ops.mul(ops.constant(3), ops.mul(ratio, ratio)) } };
    const { gradients } = evaluateLoss(batch, arrays, loss);
    for (const same of [JSON.parse(JSON.stringify(loss)) as Loss, flat]) {
      close(evaluateLoss(batch, arrays, same).gradients.logprob, [...gradients.logprob], 12);
    }
  });

  it('is 0, not NaN, on a batch without sampled tokens', () => {
    const empty = { ...batch, mask: new Uint8Array(batch.mask.length) };
    const { terms, gradients } = evaluateLoss(empty, arrays, everything);
    expect(Object.values(terms)).toEqual(Object.keys(everything.terms).map(() => 0));
    expect(gradients.logprob.every((value) => value === 0)).toBe(true);
  });

  it('names what a loss reads in vain', () => {
    const { referenceLogprobs: _, ...bare } = golden;
    expect(() => evaluateLoss(bare, arrays, everything)).toThrow(/`referenceLogprobs`.*does not have/);
    const { value: __, ...headless } = arrays;
    expect(() => evaluateLoss(batch, headless, everything)).toThrow(/`value`.*no value head/);
  });

  it('refuses constants that JSON would lose, and empty ranges', () => {
    expect(() => ops.constant(Infinity)).toThrow(RangeError);
    expect(() => ops.clip(ratio, 1.2, 0.8)).toThrow(RangeError);
  });
});
