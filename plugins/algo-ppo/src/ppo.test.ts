import type { Algorithm, CriticPlan, TrainingBatch } from '@agentgym/cli';
import { evaluateLoss, lossInputs, lossOperations, optionDefaults, testHost } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { batchOf, plans } from './fixtures/episodes.js';
import { options, type Options } from './options.js';
import { create } from './ppo.js';

const defaults = optionDefaults(options);
const ppo = (chosen: Partial<Options> = {}): Algorithm => create({ ...defaults, ...chosen }, testHost());

const sampledOf = ({ mask, width }: TrainingBatch, row: number): number[] =>
  Array.from({ length: width }, (_, t) => row * width + t).filter((index) => mask[index] === 1);

/**
 * GAE as in equation 16 of the paper: for each step, the sum of its own and all later deltas, weighted by (discount *
 * lambda)^l.
 */
function slowAdvantages(
  batch: TrainingBatch,
  { level, lambda, tokenDiscount, turnDiscount, bootstrap }: Options,
): { advantages: number[]; returns: number[] } {
  const advantages = Array<number>(batch.mask.length).fill(0);
  const returns = advantages.slice();
  for (let row = 0; row < batch.rows; row += 1) {
    const steps: number[][] = [];
    for (const index of sampledOf(batch, row)) {
      const turn = steps.find((step) => batch.turn[step[0]!] === batch.turn[index]);
      if (level === 'turn' && turn !== undefined) turn.push(index);
      else steps.push([index]);
    }
    const value = (step: number): number => {
      if (step < steps.length) return batch.values![steps[step]![0]!]!;
      return bootstrap && batch.truncated[row] === 1 ? batch.bootstrapValue[row]! : 0;
    };
    const discount = (step: number): number => {
      const next = steps[step + 1];
      const leaves = next === undefined || batch.turn[next[0]!] !== batch.turn[steps[step]![0]!];
      return tokenDiscount ** steps[step]!.length * (leaves ? turnDiscount : 1);
    };
    steps.forEach((tokens, from) => {
      let sum = 0;
      let weight = 1;
      for (let step = from; step < steps.length; step += 1) {
        let reward = 0;
        for (const index of steps[step]!) reward += batch.rewards[index]!;
        sum += weight * (reward + discount(step) * value(step + 1) - value(step));
        weight *= discount(step) * lambda;
      }
      for (const index of tokens) {
        advantages[index] = sum;
        returns[index] = sum + value(from);
      }
    });
  }
  return { advantages, returns };
}

function slowWhitened(batch: TrainingBatch, values: readonly number[], epsilon: number): number[] {
  const tokens = values.filter((_, index) => batch.mask[index] === 1);
  const mean = tokens.reduce((sum, value) => sum + value / tokens.length, 0);
  const variance = tokens.reduce((sum, value) => sum + (value - mean) ** 2 / (tokens.length - 1), 0);
  return values.map((value, index) => (batch.mask[index] === 1 ? (value - mean) / Math.sqrt(variance + epsilon) : 0));
}

function expectClose(actual: ArrayLike<number> | undefined, expected: readonly number[]): void {
  expect(Array.from(actual!)).toEqual(expected.map((value): unknown => expect.closeTo(value, 10)));
}

describe('advantages', () => {
  const { batch } = batchOf(plans);
  const cases: readonly (readonly [string, Partial<Options>])[] = [
    ['as they come', {}],
    ['with lambda and both discounts', { lambda: 0.7, tokenDiscount: 0.9, turnDiscount: 0.8 }],
    ['without bootstrap', { lambda: 0.95, tokenDiscount: 0.99, bootstrap: false }],
    ['turn by turn', { level: 'turn', lambda: 0.95, turnDiscount: 0.9 }],
    ['turn by turn, tokens discounting', { level: 'turn', lambda: 0.5, tokenDiscount: 0.9, bootstrap: false }],
    ['by the critic alone', { lambda: 0 }],
  ];

  // Goes red when lambda, a discount, level or bootstrap is not passed on, or when targets are computed from whitened
  // advantages.
  it.each(cases)('%s: as a slow loop, targets as well, 0 where nothing was sampled', (_title, chosen) => {
    const expected = slowAdvantages(batch, { ...defaults, ...chosen });
    const raw = ppo({ ...chosen, whiten: false }).advantages(batch, {});
    expectClose(raw.advantages, expected.advantages);
    expectClose(raw.returns, expected.returns);
    const whitened = ppo({ ...chosen, varianceEpsilon: 0.25 }).advantages(batch, {});
    expectClose(whitened.advantages, slowWhitened(batch, expected.advantages, 0.25));
    expectClose(whitened.returns, expected.returns);
  });

  // Goes red when `truncated` is not read, or when an ended episode is bootstrapped.
  it('of a truncated episode count on after the cut, those of an ended one do not', () => {
    const { batch } = batchOf([
      { turns: [1], rewards: [0.5] },
      { turns: [1], rewards: [0.5], truncated: true },
    ]);
    const given = { ...batch, values: batch.values.map((value) => (value > -Infinity ? 2 : value)) };
    given.bootstrapValue.set([10, 10]);
    const first = (chosen: Partial<Options>) => {
      const { advantages } = ppo({ whiten: false, ...chosen }).advantages(given, {});
      return [0, 1].map((row) => advantages[sampledOf(given, row)[0]!]);
    };
    expect(first({})).toEqual([-1.5, 8.5]);
    expect(first({ turnDiscount: 0.5 })).toEqual([-1.5, 3.5]);
    expect(first({ bootstrap: false })).toEqual([-1.5, -1.5]);
  });

  // Goes red when whitening ignores `noSignalBelow`, because rounding would become advantages of about 1, or when 0 is
  // divided by 0.
  it('are 0 where there is no signal: equal ones, one token, no token', () => {
    const value = (batch: TrainingBatch, of: (index: number) => number) => ({
      ...batch,
      values: batch.values!.map((_, index) => (batch.mask[index] === 1 ? of(index) : NaN)),
    });
    const equal = batchOf([
      { turns: [1], rewards: [0.7] },
      { turns: [1], rewards: [0.1 + 0.2 + 0.4] },
    ]).batch;
    const one = batchOf([{ turns: [1], rewards: [1] }]).batch;
    const none = batchOf([{ turns: [], rewards: [] }]).batch;
    for (const given of [value(equal, () => 0), one, none]) {
      const { advantages, metrics } = ppo({ varianceEpsilon: 0 }).advantages(given, {});
      expect(advantages.every((advantage) => advantage === 0)).toBe(true);
      expect(Object.values(metrics!).every(Number.isFinite)).toBe(true);
    }
  });

  // Goes red when the penalty is not in the rewards from which advantages are computed, or when it is paid once per
  // episode.
  it('pay for the divergence of each token where it stands in the reward', () => {
    const chosen = { klCoefficient: 0.3, klTarget: 0.1, klHorizon: 100, whiten: false, lambda: 0.9 };
    const { state, ...credit } = ppo(chosen).advantages(batch, ppo(chosen).initialState);
    const ratio = (index: number): number => batch.logprobs[index]! - batch.referenceLogprobs[index]!;
    const rewards = batch.rewards.map((reward, index) => reward - 0.3 * ratio(index));
    expectClose(credit.advantages, slowAdvantages({ ...batch, rewards }, { ...defaults, ...chosen }).advantages);
    expect(credit.klCoefficient).toBeUndefined();
    expect(ppo(chosen).initialState).toEqual({ klCoefficient: 0.3 });
    const tokens = batch.mask.reduce((sum, mask) => sum + mask, 0);
    const mean = batch.mask.reduce((sum, m, i) => (m === 1 ? sum + ratio(i) / tokens : sum), 0);
    const error = Math.min(0.2, Math.max(-0.2, mean / 0.1 - 1));
    expect(state['klCoefficient']).toBeCloseTo(0.3 * (1 + (error * batch.rows) / 100), 12);
  });

  // Goes red when the deviation is computed after whitening, or over the whole width.
  it('are logged by their deviation before whitening, targets by their mean', () => {
    const { advantages, returns } = slowAdvantages(batch, defaults);
    const on = (of: number[]) => of.filter((_, index) => batch.mask[index] === 1);
    const mean = (of: number[]) => of.reduce((sum, value) => sum + value, 0) / of.length;
    const raw = on(advantages);
    const variance = raw.reduce((sum, value) => sum + (value - mean(raw)) ** 2, 0) / (raw.length - 1);
    expect(ppo().advantages(batch, {}).metrics).toEqual({
      advantage_deviation: expect.closeTo(Math.sqrt(variance), 10) as unknown,
      value_target_mean: expect.closeTo(mean(on(returns)), 10) as unknown,
    });
  });
});

type Live = ReturnType<typeof batchOf>['live'];
const weighted = (batch: TrainingBatch, algorithm: Algorithm) => ({ ...batch, weight: algorithm.weights(batch) });
const policyLoss = (algorithm: Algorithm, batch: TrainingBatch, live: Live) =>
  evaluateLoss(weighted(batch, algorithm), live, algorithm.loss(lossOperations, lossInputs));
const criticLoss = (algorithm: Algorithm, batch: TrainingBatch, live: Live) =>
  evaluateLoss(weighted(batch, algorithm), live, algorithm.critic!.loss(lossOperations, lossInputs));

/** Weight of each sampled token, computed from the meaning of the options. */
function slowWeights(batch: TrainingBatch, { aggregation, constantLength, countEmpty }: Options): number[] {
  const rows = Array.from({ length: batch.rows }, (_, row) => sampledOf(batch, row));
  const sequences = countEmpty ? rows.length : rows.filter((row) => row.length > 0).length;
  const weights = Array<number>(batch.mask.length).fill(0);
  for (const row of rows) {
    const weight = {
      'token-mean': 1 / rows.flat().length,
      'sequence-mean-token-sum': 1 / sequences,
      'sequence-mean-token-mean': 1 / sequences / row.length,
      'constant-length': 1 / sequences / (constantLength ?? NaN),
    }[aggregation];
    for (const index of row) weights[index] = weight;
  }
  return weights;
}

const aggregations: readonly (readonly [string, Partial<Options>])[] = [
  ['token-mean', {}],
  ['sequence-mean-token-sum', { aggregation: 'sequence-mean-token-sum' }],
  ['sequence-mean-token-mean', { aggregation: 'sequence-mean-token-mean', countEmpty: true }],
  ['constant-length', { aggregation: 'constant-length', constantLength: 9 }],
];

describe('the policy', () => {
  const { batch: built, live } = batchOf(plans);
  const random = testHost(3).random;
  const batch = { ...built, advantages: built.values.map((value) => (value > -Infinity ? random.normal() : NaN)) };

  // Goes red when a bound is read for the other side, min becomes max, the dual clip is not passed on, or the weights
  // belong to another aggregation.
  it.each(aggregations)('%s: loses by the clipped ratio, as a slow loop', (_title, aggregation) => {
    const chosen = { ...defaults, ...aggregation, clipLow: 0.1, clipHigh: 0.3, dualClip: 1.2 };
    const weights = slowWeights(batch, chosen);
    let expected = 0;
    const gradient = weights.slice();
    const shares = { clipped_low: 0, clipped_high: 0, dual_clipped: 0 };
    for (const [index, weight] of weights.entries()) {
      if (weight === 0) continue;
      const advantage = batch.advantages[index]!;
      const ratio = Math.exp(live.logprob[index]! - batch.logprobs[index]!);
      const tooLow = advantage < 0 && ratio < 0.9;
      const tooHigh = advantage > 0 && ratio > 1.3;
      const tooBad = advantage < 0 && ratio > 1.2;
      const used = tooLow ? 0.9 : tooHigh ? 1.3 : tooBad ? 1.2 : ratio;
      expected += weight * -used * advantage;
      gradient[index] = tooLow || tooHigh || tooBad ? 0 : weight * -ratio * advantage;
      shares.clipped_low += Number(tooLow);
      shares.clipped_high += Number(tooHigh);
      shares.dual_clipped += Number(tooBad);
    }
    const { terms, metrics, gradients } = policyLoss(ppo(chosen), batch, live);
    expect(terms['policy']).toBeCloseTo(expected, 10);
    expectClose(gradients.logprob, gradient);
    expect(Object.values(shares).every((share) => share > 0)).toBe(true);
    expect(metrics).toMatchObject(shares);
  });

  // Goes red when the sign of the bonus is wrong, or when the divergence is in the loss although it is in the reward.
  it('gains by entropy and loses by divergence, in the loss or in the reward but never in both', () => {
    const weights = slowWeights(batch, defaults);
    const sum = (of: (index: number) => number) =>
      weights.reduce((total, weight, index) => (weight > 0 ? total + weight * of(index) : total), 0);
    const chosen: Partial<Options> = { entropyCoefficient: 0.3, klCoefficient: 0.2, klIn: 'loss', klEstimator: 'k2' };
    const { terms } = policyLoss(ppo(chosen), batch, live);
    expect(terms['entropy']).toBeCloseTo(-0.3 * sum((index) => live.entropy[index]!), 10);
    const distance = (index: number): number => live.logprob[index]! - batch.referenceLogprobs[index]!;
    expect(terms['kl']).toBeCloseTo(0.2 * sum((index) => distance(index) ** 2 / 2), 10);
    expect(Object.keys(policyLoss(ppo({ klCoefficient: 0.2 }), batch, live).terms)).toEqual(['policy']);
    expect(ppo({ klCoefficient: 0.2 }).roles).toEqual(['reference']);
    expect(ppo().roles).toEqual([]);
  });
});

describe('the critic', () => {
  const { batch: built, live } = batchOf(plans);
  const random = testHost(5).random;
  const batch = { ...built, returns: built.values.map((value) => (value > -Infinity ? random.normal() : NaN)) };

  const critics: readonly (readonly [string, Partial<Options>, number])[] = [
    ['a second model', {}, 1],
    ['a second model, whatever the weight', { valueCoefficient: 7 }, 1],
    ['a shared trunk', { critic: 'shared' }, 0.5],
    ['a shared trunk with a weight', { critic: 'shared', valueCoefficient: 0.1 }, 0.1],
  ];
  const cases = critics.flatMap(([title, chosen, coefficient]) =>
    [null, 0.2, 0.5].flatMap((valueClip) =>
      aggregations.map(([name, mode]) => {
        return [
          `${title}, clip ${String(valueClip)}, ${name}`,
          { ...defaults, ...chosen, ...mode, valueClip },
          coefficient,
        ] as const;
      }),
    ),
  );

  // Goes red when the factor 1/2 is missing, max becomes min, the bound is around 0 or the target, or the weight also
  // applies to a second model.
  it.each(cases)('%s: loss and derivative as a slow loop', (_title, chosen, coefficient) => {
    const weights = slowWeights(batch, chosen);
    let expected = 0;
    let clipped = 0;
    const gradient = weights.slice();
    for (const [index, weight] of weights.entries()) {
      if (weight === 0) continue;
      const [said, old, target] = [live.value[index]!, batch.values[index]!, batch.returns[index]!];
      const clip = chosen.valueClip ?? Infinity;
      const near = said > old + clip ? old + clip : said < old - clip ? old - clip : said;
      const worse = (near - target) ** 2 > (said - target) ** 2;
      expected += coefficient * weight * 0.5 * ((worse ? near : said) - target) ** 2;
      gradient[index] = worse ? 0 : coefficient * weight * (said - target);
      clipped += Number(worse);
    }
    const { terms, metrics, gradients } = criticLoss(ppo(chosen), batch, live);
    expect(terms).toEqual({ value: expect.closeTo(expected, 10) as unknown });
    expectClose(gradients.value, gradient);
    expect([...gradients.logprob, ...gradients.entropy].every((derivative) => derivative === 0)).toBe(true);
    if (chosen.valueClip !== null) expect(clipped).toBeGreaterThan(0);
    expect(metrics).toEqual(chosen.valueClip === null ? {} : { value_clipped: clipped });
  });

  // Goes red when the clipped value is V_old + clip(V - V_old), which differs from V in its last bit if the two are far
  // apart.
  it('clips nothing inside the bounds, not even by rounding', () => {
    const near = { ...live, value: batch.values.map((value) => 0.1 * value) };
    expect(criticLoss(ppo({ valueClip: 10 }), batch, near).metrics).toEqual({ value_clipped: 0 });
  });

  // Goes red when the policy's loss reads the critic, which a second model's policy does not have.
  it("is nothing to the policy's own loss", () => {
    const { value: _value, ...bare } = live;
    const { loss } = ppo({ valueClip: 0.5, entropyCoefficient: 0.1 });
    expect(() => evaluateLoss(built, bare, loss(lossOperations, lossInputs))).not.toThrow();
  });

  it.each<[Partial<Options>, Partial<CriticPlan>]>([
    [{}, { trunk: 'own', learningRate: null, warmup: 5 }],
    [
      { criticLearningRate: 1e-5, criticWarmup: 0 },
      { trunk: 'own', learningRate: 1e-5, warmup: 0 },
    ],
    [{ critic: 'shared' }, { trunk: 'shared', learningRate: null, warmup: 0 }],
    [
      { critic: 'shared', criticWarmup: 2 },
      { trunk: 'shared', learningRate: null, warmup: 2 },
    ],
  ])('%o: is asked for as %o', (chosen, plan) => {
    expect(ppo(chosen).critic).toMatchObject(plan);
  });
});
