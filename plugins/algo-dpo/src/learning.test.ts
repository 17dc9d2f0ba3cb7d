import type { Algorithm, CompletedEpisode, TrainingBatch } from '@agentgym/cli';
import {
  buildBatch,
  lossInputs,
  lossOperations,
  optionDefaults,
  TabularPolicy,
  testHost,
  type BatchRow,
} from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { create } from './dpo.js';
import { options, type Options } from './options.js';

const dpo = (chosen: Partial<Options> = {}): Algorithm => create({ ...optionDefaults(options), ...chosen }, testHost());

/** The reward of each action. An episode has two turns of one action. */
const worth = { left: 0, up: 0.5, right: 1 };

/**
 * Plays groups of eight, learns from the pairs in two minibatches, and returns the final probability of the best action
 * in each turn.
 */
async function train(algorithm: Algorithm, { iterations = 25, learningRate = 10 } = {}) {
  const policy = new TabularPolicy({ texts: ['left up right go on'], contextLength: 2, seed: 4 });
  await policy.resetOptimizer({ name: 'sgd', options: {} });
  const reference = await policy.freeze();
  const { encoder } = policy;
  const ids = Object.keys(worth).map((action) => encoder.encodeAction(action)[0]!);
  const [prompt, observation] = [encoder.begin('', 'go'), encoder.append('on')];
  const { random } = testHost(7);

  async function act(tokens: readonly number[], sequence: string): Promise<{ token: number; earned: number }> {
    const draws = Float64Array.of(1 - random.stream(sequence).uniform());
    const request = { tokens, sequence, endIds: [], maxTokens: 1, draws };
    const [answer] = await policy.generate([request], { temperature: 1, topP: 1, topK: 0 });
    const token = answer!.tokens[0]!;
    return { token, earned: Object.values(worth)[ids.indexOf(token)] ?? 0 };
  }

  async function play(group: number, name: string): Promise<CompletedEpisode> {
    const first = await act(prompt, `${name}/first`);
    const sequence = [...prompt, first.token, ...observation];
    const second = await act(sequence, `${name}/second`);
    const tokens = [...sequence, second.token];
    const mask = tokens.map((_, t) => Number(t === prompt.length || t === sequence.length));
    const turns = [prompt.length, sequence.length].map((at, turn) => ({
      sampled: [at, at + 1],
      reward: turn === 0 ? first.earned : second.earned,
    }));
    const record = { tokens, mask, logprobs: tokens.map(() => 0) };
    return { group, turns, return: first.earned + second.earned, sequences: [record] } as unknown as CompletedEpisode;
  }

  async function learn(pairs: readonly (readonly CompletedEpisode[])[]): Promise<void> {
    if (pairs.length === 0) return;
    const built = buildBatch(
      pairs
        .flat()
        .map((episode) => ({ ...episode, record: episode.sequences![0], truncated: false }) as unknown as BatchRow),
      1,
    );
    const filled: TrainingBatch = { ...built, referenceLogprobs: await reference.logprobs(built) };
    const batch = { ...filled, advantages: algorithm.advantages(filled, {}).advantages };
    const loss = algorithm.loss(lossOperations, lossInputs);
    await policy.forwardBackward({ ...batch, weight: algorithm.weights(batch) }, loss);
    await policy.optimizerStep({ learningRate });
  }

  for (let iteration = 0; iteration < iterations; iteration += 1) {
    const pairs: (readonly CompletedEpisode[])[] = [];
    for (let group = 0; group < 8; group += 1) {
      const members: CompletedEpisode[] = [];
      for (let member = 0; member < 8; member += 1) {
        members.push(await play(group, [iteration, group, member].join('/')));
      }
      pairs.push(...algorithm.select!(members));
    }
    await learn(pairs.filter((_, place) => place % 2 === 0));
    await learn(pairs.filter((_, place) => place % 2 === 1));
  }
  const right = ids[2]!;
  const turns = [prompt, [...prompt, right, ...observation]];
  return turns.map((prefix) => policy.probabilities(prefix)[right]!);
}

describe('DPO learns', () => {
  // Goes red when winners and losers are swapped, in the pairs or in the loss.
  it.each<[string, Partial<Options>, object]>([
    ['from matched pairs', {}, {}],
    ['from all pairs', { pairing: 'all' }, {}],
    ['with the mean of tokens', { lengthNormalized: true }, { learningRate: 20 }],
    [
      'with noise accounted for and winners imitated',
      { labelSmoothing: 0.1, sftCoefficient: 0.2 },
      { learningRate: 3 },
    ],
    ['by IPO', { loss: 'ipo', beta: 0.05 }, { learningRate: 0.1 }],
  ])('the best action in both turns, %s', async (_title, chosen, settings) => {
    const probabilities = await train(dpo(chosen), settings);
    for (const probability of probabilities) expect(probability).toBeGreaterThan(0.9);
  });

  // Goes red when the reference or beta has no effect. The loss determines beta h, so a large beta gives a small h.
  it('stays the nearer to the reference the larger beta is', async () => {
    const [free, held, tied] = await Promise.all(
      [0.1, 3, 30].map(async (beta) => (await train(dpo({ beta }), { learningRate: 0.3 / beta, iterations: 40 }))[0]!),
    );
    expect(free).toBeGreaterThan(held!);
    expect(held).toBeGreaterThan(tied!);
    expect(tied).toBeLessThan(0.5);
  });
});
