import type { Algorithm, JsonObject, TrainingBatch } from '@agentgym/cli';
import {
  evaluateLoss,
  lossInputs,
  lossOperations,
  optionDefaults,
  TabularPolicy,
  testHost,
} from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { awkward, batchOf, turn } from './fixtures/episodes.js';
import { options, type Options } from './options.js';
import { create } from './reinforce.js';

const reinforce = (chosen: Partial<Options> = {}): Algorithm =>
  create({ ...optionDefaults(options), importance: 'none', ...chosen }, testHost());

function run(algorithm: Algorithm, batch: TrainingBatch, logprob: Float64Array) {
  const weighted = { ...batch, weight: algorithm.weights(batch) };
  const live = { logprob, entropy: logprob.map((value) => -value) };
  const result = evaluateLoss(weighted, live, algorithm.loss(lossOperations, lossInputs));
  return { ...result, total: Object.values(result.terms).reduce((sum, term) => sum + term, 0) };
}

describe('the gradient of REINFORCE', () => {
  // Three actions in the first turn, the last of which ends the episode; two in the second turn. Each has a reward.
  const firstReward = [0.5, -1, 0.8];
  const secondReward = [
    [1, -0.3],
    [2, 0.4],
  ];
  const reference = [-1.2, -0.9, -1.4];
  const logits = [0.3, -0.2, 0.1, 0.6, -0.4, -0.1, 0.5];
  const policy = (theta: readonly number[], state: number): { at: number; probabilities: number[] } => {
    const [at, size] = state === 0 ? [0, 3] : [1 + 2 * state, 2];
    const weights = theta.slice(at, at + size).map(Math.exp);
    return { at, probabilities: weights.map((weight) => weight / weights.reduce((sum, w) => sum + w, 0)) };
  };
  const episodes = [[0, 0], [0, 1], [1, 0], [1, 1], [2]].map((actions) => ({
    actions,
    rewards: actions.map((action, i) => (i === 0 ? firstReward[action]! : secondReward[actions[0]!]![action]!)),
  }));
  const chances = (theta: readonly number[], actions: readonly number[]): number[] =>
    actions.map((action, i) => policy(theta, i === 0 ? 0 : 1 + actions[0]!).probabilities[action]!);

  /** Expected return minus the weighted divergence of both turns, over all five episodes. */
  const objective = (theta: readonly number[], kl: number): number =>
    episodes.reduce((sum, { actions, rewards }) => {
      const chance = chances(theta, actions);
      const paid = kl * chance.reduce((total, p, i) => total + Math.log(p) - reference[i === 0 ? actions[0]! : 0]!, 0);
      const probability = chance.reduce((product, p) => product * p, 1);
      return sum + probability * (rewards.reduce((total, r) => total + r, 0) - paid);
    }, 0);

  // Goes red when the baseline is the mean of the batch itself, when the losses of an episode are averaged instead of
  // summed, or when the divergence has the wrong sign.
  it.each<[string, Partial<Options>, JsonObject]>([
    ['alone', {}, {}],
    ['with a moving baseline', { baseline: 'moving' }, { movingReturns: [0.7, -1.3] }],
    ['with a greedy baseline', { baseline: 'greedy' }, {}],
    ['with clipped ratios, at the sampler', { importance: 'clipped' }, {}],
    ['with a divergence in the reward', { klCoefficient: 0.4, baseline: 'moving' }, { movingReturns: [2] }],
  ])('is in expectation that of the expected return: %s', (_title, chosen, state) => {
    const algorithm = reinforce(chosen);
    const expected = new Float64Array(logits.length);
    for (const { actions, rewards } of episodes) {
      const chance = chances(logits, actions);
      const { batch, tokens } = batchOf([{ turns: rewards.map((reward) => turn(1, 1, reward)), group: 0 }]);
      const [logprobs, referenceLogprobs] = [new Float64Array(batch.width), new Float64Array(batch.width)];
      for (const [i, { index }] of tokens[0]!.entries()) {
        logprobs[index] = Math.log(chance[i]!);
        referenceLogprobs[index] = reference[i === 0 ? actions[0]! : 0]!;
      }
      const given = { ...batch, logprobs, referenceLogprobs };
      const { advantages } = algorithm.advantages(given, state);
      const { gradients } = run(algorithm, { ...given, advantages }, logprobs);
      const probability = chance.reduce((product, p) => product * p, 1);
      for (const [i, { index }] of tokens[0]!.entries()) {
        const { at, probabilities } = policy(logits, i === 0 ? 0 : 1 + actions[0]!);
        for (const [action, p] of probabilities.entries()) {
          expected[at + action]! -= probability * gradients.logprob[index]! * (Number(action === actions[i]) - p);
        }
      }
    }
    for (const [i, value] of expected.entries()) {
      const moved = (by: number): number =>
        objective(
          logits.map((logit, j) => logit + (i === j ? by : 0)),
          chosen.klCoefficient ?? 0,
        );
      expect(value).toBeCloseTo((moved(1e-5) - moved(-1e-5)) / 2e-5, 8);
    }
  });
});

describe('the loss of REINFORCE', () => {
  const { batch, tokens } = batchOf(awkward);
  const noise = testHost(3).random.stream('policy');
  const advantages = batch.rewards.map((_, i) => (batch.mask[i] === 1 ? noise.normal() : NaN));
  const logprob = batch.logprobs.map((old, i) => (batch.mask[i] === 1 ? old + 0.4 * noise.normal() : NaN));
  const given = { ...batch, advantages };
  const rows = tokens.filter((row) => row.length > 0);

  // Goes red when the ratio stays in the loss, when episodes are averaged over their tokens, or when the row without a
  // token is counted.
  it('is minus advantage times log probability, summed over an episode, averaged over episodes', () => {
    const { total, gradients, metrics } = run(reinforce(), given, logprob);
    let [loss, ratios] = [0, 0];
    for (const { index } of rows.flat()) {
      loss -= (advantages[index]! * logprob[index]!) / rows.length;
      ratios += Math.exp(logprob[index]! - batch.logprobs[index]!);
      expect(gradients.logprob[index]).toBeCloseTo(-advantages[index]! / rows.length, 12);
    }
    expect(total).toBeCloseTo(loss, 12);
    expect(metrics['ratio']).toBeCloseTo(ratios, 10);
  });

  // Goes red when a bound is read for the other side, when min becomes max, or when the dual bound applies to tokens
  // with a positive advantage.
  it.each<[string, Partial<Options>]>([
    ['two bounds', { clipLow: 0.1, clipHigh: 0.3 }],
    ['a dual clip', { clipLow: 0.1, clipHigh: 0.3, dualClip: 1.2 }],
    ['the mean over tokens', { aggregation: 'token-mean' }],
    ['a constant length and empty episodes', { aggregation: 'constant-length', constantLength: 7, countEmpty: true }],
  ])('clipped, is that of PPO with its derivative: %s', (_title, chosen) => {
    const { clipLow, clipHigh, dualClip, aggregation } = { ...optionDefaults(options), ...chosen };
    const { total, gradients } = run(reinforce({ importance: 'clipped', ...chosen }), given, logprob);
    const divisor = { 'token-mean': rows.flat().length, 'constant-length': 7 * tokens.length }[aggregation as string];
    let loss = 0;
    for (const { index } of rows.flat()) {
      const [a, r] = [advantages[index]!, Math.exp(logprob[index]! - batch.logprobs[index]!)];
      const weight = 1 / (divisor ?? rows.length);
      // A clipped ratio has no derivative. The clip applies only on the side to which the advantage pushes the ratio.
      let [objective, slope] = [r * a, r * a];
      if (a > 0 && r > 1 + clipHigh) [objective, slope] = [(1 + clipHigh) * a, 0];
      if (a < 0 && r < 1 - clipLow) [objective, slope] = [(1 - clipLow) * a, 0];
      if (a < 0 && dualClip !== null && r > dualClip) [objective, slope] = [dualClip * a, 0];
      loss -= weight * objective;
      expect(gradients.logprob[index]).toBeCloseTo(-weight * slope, 12);
    }
    expect(total).toBeCloseTo(loss, 12);
  });

  // Goes red when a term has the other sign or is left out.
  it('has terms for entropy and divergence', () => {
    const algorithm = reinforce({ entropyCoefficient: 0.5, klCoefficient: 0.2, klIn: 'loss', klEstimator: 'k2' });
    const { terms } = run(algorithm, given, logprob);
    let [entropy, kl] = [0, 0];
    for (const { index } of rows.flat()) {
      entropy -= (0.5 * -logprob[index]!) / rows.length;
      kl += (0.2 * (logprob[index]! - batch.referenceLogprobs![index]!) ** 2) / 2 / rows.length;
    }
    expect(terms['entropy']).toBeCloseTo(entropy, 12);
    expect(terms['kl']).toBeCloseTo(kl, 12);
  });
});

describe('REINFORCE learns', () => {
  /** Episodes of two turns; `right` is rewarded in the first, `left` in the second. */
  async function train(algorithm: Algorithm, iterations: number): Promise<number[]> {
    const policy = new TabularPolicy({ texts: ['left right up down'], contextLength: 2, seed: 4 });
    await policy.resetOptimizer({ name: 'sgd', options: {} });
    const prompts = [policy.encoder.begin('', 'up'), policy.encoder.append('down')];
    const wanted = ['right', 'left'].map((word) => policy.encoder.encodeAction(word)[0]!);
    const { random } = testHost(7);

    /** Token sequences of both turns, with the sampler's log probability of each of the two actions. */
    async function play(count: number, temperature: number, iteration: number) {
      const rows = Array.from({ length: count }, () => ({ tokens: [] as number[], logprobs: [] as number[] }));
      for (const [number, prompt] of prompts.entries()) {
        for (const row of rows) row.tokens.push(...prompt);
        const requests = rows.map(({ tokens }, i) => {
          const draws = Float64Array.of(1 - random.stream(iteration, i, number).uniform());
          return { tokens, sequence: `${i}`, endIds: [], maxTokens: 1, draws };
        });
        const answers = await policy.generate(requests, { temperature, topP: 1, topK: 0 });
        for (const [i, answer] of answers.entries()) {
          rows[i]!.tokens.push(answer.tokens[0]!);
          rows[i]!.logprobs.push(answer.logprobs[0]!);
        }
      }
      const ends = [prompts[0]!.length, prompts[0]!.length + 1 + prompts[1]!.length];
      return rows.map((row) => ({ ...row, ends, rewards: ends.map((t, i) => Number(row.tokens[t] === wanted[i])) }));
    }

    let state: JsonObject = algorithm.initialState;
    for (let iteration = 0; iteration < iterations; iteration += 1) {
      const rows = await play(64, 1, iteration);
      const [greedy] = await play(1, 0, iteration);
      const laid = rows.map(({ rewards }) => ({
        turns: rewards.map((reward, i) => turn(prompts[i]!.length - (i === 0 ? 1 : 0), 1, reward)),
        group: 0,
      }));
      let { batch } = batchOf(laid);
      const logprobs = new Float64Array(batch.mask.length);
      const ids = new Int32Array(batch.mask.length);
      for (const [i, { tokens, ends, logprobs: sampled }] of rows.entries()) {
        ids.set(tokens, i * batch.width);
        ends.forEach((t, number) => (logprobs[i * batch.width + t] = sampled[number]!));
      }
      const greedyReturn = new Float64Array(batch.rows).fill(greedy!.rewards.reduce((sum, r) => sum + r, 0));
      batch = { ...batch, tokens: ids, logprobs, greedyReturn };
      const { advantages, state: next } = algorithm.advantages(batch, state);
      state = next;
      const weight = algorithm.weights(batch);
      await policy.forwardBackward({ ...batch, advantages, weight }, algorithm.loss(lossOperations, lossInputs));
      await policy.optimizerStep({ learningRate: 1 });
    }
    const second = [...prompts[0]!, wanted[0]!, ...prompts[1]!];
    return [policy.probabilities(prompts[0]!)[wanted[0]!]!, policy.probabilities(second)[wanted[1]!]!];
  }

  // Goes red when a sign is wrong, or when nothing gets credit.
  it.each<[string, Partial<Options>]>([
    ['as it comes', {}],
    ['with a moving baseline', { baseline: 'moving' }],
    ['as ReMax', { baseline: 'greedy' }],
    ['with ReBN and clipped ratios', { normalize: 'turns', importance: 'clipped' }],
  ])('what each of two turns is rewarded for: %s', async (_title, chosen) => {
    for (const probability of await train(reinforce(chosen), 60)) expect(probability).toBeGreaterThan(0.9);
  });
});
