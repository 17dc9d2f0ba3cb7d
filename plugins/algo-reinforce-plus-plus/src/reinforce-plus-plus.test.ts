import type { Algorithm, TrainingBatch } from '@agentgym/cli';
import {
  evaluateLoss,
  lossInputs,
  lossOperations,
  optionDefaults,
  TabularPolicy,
  testHost,
} from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { awkward, batchOf, slowReturns, turn, type Token } from './fixtures/episodes.js';
import { options, type Options } from './options.js';
import { create } from './reinforce-plus-plus.js';

const plusPlus = (chosen: Partial<Options> = {}): Algorithm =>
  create({ ...optionDefaults(options), ...chosen }, testHost());

/** (x - mean) / sqrt(variance + 1e-8) over all sampled tokens, each counted once. */
function whiten(values: ReadonlyMap<number, number>, deviation: 'population' | 'sample'): Map<number, number> {
  let [mean, squares] = [0, 0];
  for (const value of values.values()) mean += value / values.size;
  for (const value of values.values()) squares += (value - mean) ** 2;
  const divisor = Math.sqrt(squares / (deviation === 'sample' ? values.size - 1 : values.size) + 1e-8);
  return new Map([...values].map(([index, value]) => [index, (value - mean) / divisor]));
}

/** Each token has the return of its episode minus the mean of its group, or 0 in a group of one. */
function slowAboveGroup(tokens: Token[][], group: ArrayLike<number>): Map<number, number> {
  const sums = tokens.map((row) => row.reduce((sum, { reward }) => sum + reward, 0));
  const values = new Map<number, number>();
  for (const [i, row] of tokens.entries()) {
    const members = sums.filter((_, j) => group[j] === group[i]);
    const mean = members.reduce((sum, member) => sum + member, 0) / members.length;
    for (const { index } of row) values.set(index, members.length > 1 ? sums[i]! - mean : 0);
  }
  return values;
}

function expectClose(actual: Float64Array, expected: ReadonlyMap<number, number>): void {
  actual.forEach((value, index) => expect(value).toBeCloseTo(expected.get(index) ?? 0, 10));
}

describe('the advantages of REINFORCE++', () => {
  // Goes red when an observation token discounts or is in the mean, when one discount is read for the other, or when
  // turns are counted instead of tokens.
  it.each<[number, number, 'population' | 'sample']>([
    [1, 1, 'sample'],
    [0.9, 1, 'sample'],
    [1, 0.8, 'population'],
    [0.95, 0.5, 'sample'],
  ])(
    'discounted by %d per token and %d per turn, whitened over tokens: %s',
    (tokenDiscount, turnDiscount, deviation) => {
      const { batch, tokens } = batchOf(awkward);
      const { advantages } = plusPlus({ tokenDiscount, turnDiscount, deviation }).advantages(batch, {});
      expectClose(advantages, whiten(slowReturns(tokens, tokenDiscount, turnDiscount), deviation));
    },
  );

  // Goes red when a group of one keeps its return, when the mean is over another group, or when positions of rewards
  // are used.
  it('with baseline: return less group mean, whitened over tokens', () => {
    const { batch, tokens } = batchOf(awkward);
    const expected = whiten(slowAboveGroup(tokens, batch.group), 'sample');
    expectClose(plusPlus({ baseline: 'group' }).advantages(batch, {}).advantages, expected);
  });

  // Goes red when a token's payment for its divergence has the other sign or counts for later tokens, or, with
  // baseline,
  // when it is not in the return.
  it.each(['none', 'group'] as const)('pay for the divergence of each token: baseline %s', (baseline) => {
    const { batch, tokens } = batchOf(awkward);
    const paid = tokens.map((row) =>
      row.map((token) => {
        const d = batch.logprobs[token.index]! - batch.referenceLogprobs![token.index]!;
        return { ...token, reward: token.reward - 0.3 * d };
      }),
    );
    const values = baseline === 'none' ? slowReturns(paid, 1, 1) : slowAboveGroup(paid, batch.group);
    const algorithm = plusPlus({ baseline, klCoefficient: 0.3 });
    expectClose(algorithm.advantages(batch, {}).advantages, whiten(values, 'sample'));
    expect([algorithm.roles, plusPlus().roles]).toEqual([['reference'], []]);
  });

  // Goes red when noSignalBelow is not read: the last bits of a sum become advantages of 1.
  it.each<[Partial<Options>, number[][]]>([
    [{}, [[1], [1]]],
    [{}, [[0.1 + 0.2 + 0.4], [0.7]]],
    [{}, [[0.4]]],
    [{ varianceEpsilon: 0 }, [[0.1 + 0.2 + 0.4], [0.7]]],
    [{ baseline: 'group', varianceEpsilon: 0 }, [[0.1, 0.2, 0.4], [0.7]]],
    [{ baseline: 'group' }, [[0.4, 1]]],
  ])('are 0 where nothing differs: %j, rewards %j', (chosen, rewards) => {
    const rows = rewards.map((row) => ({ turns: row.map((reward) => turn(1, 1, reward)), group: 0 }));
    const { advantages } = plusPlus(chosen).advantages(batchOf(rows).batch, {});
    expect(advantages.every((value) => value === 0)).toBe(true);
  });

  // Goes red when the epsilon is added to the deviation.
  it('have the epsilon added to the variance', () => {
    const rows = [3, 1].map((reward) => ({ turns: [turn(0, 1, reward)], group: 0 }));
    const { advantages } = plusPlus({ varianceEpsilon: 2 }).advantages(batchOf(rows).batch, {});
    expect([...advantages].filter((value) => value !== 0)).toEqual([0.5, -0.5]);
  });
});

function run(algorithm: Algorithm, batch: TrainingBatch, logprob: Float64Array) {
  const weighted = { ...batch, weight: algorithm.weights(batch) };
  const live = { logprob, entropy: logprob.map((value) => -value) };
  const result = evaluateLoss(weighted, live, algorithm.loss(lossOperations, lossInputs));
  return { ...result, total: Object.values(result.terms).reduce((sum, term) => sum + term, 0) };
}

describe('the loss of REINFORCE++', () => {
  const { batch, tokens } = batchOf(awkward);
  const noise = testHost(3).random.stream('policy');
  const advantages = batch.rewards.map((_, i) => (batch.mask[i] === 1 ? noise.normal() : NaN));
  const logprob = batch.logprobs.map((old, i) => (batch.mask[i] === 1 ? old + 0.4 * noise.normal() : NaN));
  const given = { ...batch, advantages };
  const rows = tokens.filter((row) => row.length > 0);
  const count = rows.flat().length;

  // Goes red when a bound is read for the other side, when min becomes max, or when the dual bound applies to tokens
  // with a positive advantage.
  it.each<[string, Partial<Options>, (tokensOfRow: number) => number]>([
    ['the mean over tokens', { clipLow: 0.1, clipHigh: 0.3 }, () => count],
    ['a dual clip', { dualClip: 1.2 }, () => count],
    ['sums over episodes', { aggregation: 'sequence-mean-token-sum' }, () => rows.length],
    ['means of means', { aggregation: 'sequence-mean-token-mean' }, (n) => rows.length * n],
    ['empty episodes', { aggregation: 'sequence-mean-token-mean', countEmpty: true }, (n) => tokens.length * n],
    ['a constant length', { aggregation: 'constant-length', constantLength: 7 }, () => rows.length * 7],
  ])('is that of PPO with its derivative: %s', (_title, chosen, divisor) => {
    const { clipLow, clipHigh, dualClip } = { ...optionDefaults(options), ...chosen };
    const { total, gradients } = run(plusPlus(chosen), given, logprob);
    let loss = 0;
    for (const row of rows) {
      for (const { index } of row) {
        const [a, r] = [advantages[index]!, Math.exp(logprob[index]! - batch.logprobs[index]!)];
        const weight = 1 / divisor(row.length);
        // A clipped ratio has no derivative. The clip applies only on the side to which the advantage pushes the ratio.
        let [objective, slope] = [r * a, r * a];
        if (a > 0 && r > 1 + clipHigh) [objective, slope] = [(1 + clipHigh) * a, 0];
        if (a < 0 && r < 1 - clipLow) [objective, slope] = [(1 - clipLow) * a, 0];
        if (a < 0 && dualClip !== null && r > dualClip) [objective, slope] = [dualClip * a, 0];
        loss -= weight * objective;
        expect(gradients.logprob[index]).toBeCloseTo(-weight * slope, 12);
      }
    }
    expect(total).toBeCloseTo(loss, 12);
  });

  // Goes red when a term has the other sign or is left out.
  it('has terms for entropy and divergence', () => {
    const algorithm = plusPlus({ entropyCoefficient: 0.5, klCoefficient: 0.2, klIn: 'loss', klEstimator: 'k2' });
    const { terms } = run(algorithm, given, logprob);
    let [entropy, kl] = [0, 0];
    for (const { index } of rows.flat()) {
      entropy -= (0.5 * -logprob[index]!) / count;
      kl += (0.2 * (logprob[index]! - batch.referenceLogprobs![index]!) ** 2) / 2 / count;
    }
    expect(terms['entropy']).toBeCloseTo(entropy, 12);
    expect(terms['kl']).toBeCloseTo(kl, 12);
  });

  // Goes red when the weights do not match the mean: advantages that add up to 0 would leave a loss.
  it('is 0 at the sampler, because advantages and losses are means over the same tokens', () => {
    const algorithm = plusPlus({ tokenDiscount: 0.9 });
    const credited = { ...batch, advantages: algorithm.advantages(batch, {}).advantages };
    expect(run(algorithm, credited, batch.logprobs).total).toBeCloseTo(0, 12);
  });
});

describe('REINFORCE++ learns', () => {
  /**
   * Updates a tabular policy on 64 episodes of one action, in two passes over two minibatches. `right` is rewarded.
   */
  async function train(algorithm: Algorithm): Promise<number> {
    const policy = new TabularPolicy({ texts: ['left right up'], contextLength: 1, seed: 4 });
    await policy.resetOptimizer({ name: 'sgd', options: {} });
    const prompt = policy.encoder.begin('', 'up');
    const [right = 0] = policy.encoder.encodeAction('right');
    const { random } = testHost(7);
    for (let iteration = 0; iteration < 25; iteration += 1) {
      const requests = Array.from({ length: 64 }, (_, i) => {
        const draws = Float64Array.of(1 - random.stream(iteration, i).uniform());
        return { tokens: prompt, sequence: `${i}`, endIds: [], maxTokens: 1, draws };
      });
      const answers = await policy.generate(requests, { temperature: 1, topP: 1, topK: 0 });
      const rows = answers.map(({ tokens }, i) => ({
        turns: [turn(prompt.length - 1, 1, Number(tokens[0] === right))],
        group: Math.floor(i / 8),
      }));
      const { batch, tokens } = batchOf(rows);
      for (const [i, row] of tokens.entries()) {
        const { index } = row[0]!;
        batch.tokens.set([...prompt, answers[i]!.tokens[0]!], i * batch.width);
        batch.logprobs[index] = answers[i]!.logprobs[0]!;
      }
      const { advantages } = algorithm.advantages(batch, {});
      for (const half of [0, 1, 0, 1]) {
        const mask = batch.mask.map((sampled, i) => (Math.floor(i / batch.width / 8) % 2 === half ? sampled : 0));
        const minibatch = { ...batch, mask, advantages };
        const loss = algorithm.loss(lossOperations, lossInputs);
        await policy.forwardBackward({ ...minibatch, weight: algorithm.weights(minibatch) }, loss);
        await policy.optimizerStep({ learningRate: 0.5 });
      }
    }
    return policy.probabilities(prompt)[right]!;
  }

  // Goes red when a sign is wrong, or when nothing gets credit.
  it.each(['none', 'group'] as const)(
    'the rewarded action over several epochs and minibatches: baseline %s',
    async (baseline) => {
      expect(await train(plusPlus({ baseline }))).toBeGreaterThan(0.9);
    },
  );
});
