import type { Algorithm, CompletedEpisode } from '@agentgym/cli';
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

import { create } from './expert-iteration.js';
import { options, type Options } from './options.js';

const expertIteration = (chosen: Partial<Options> = {}): Algorithm =>
  create({ ...optionDefaults(options), ...chosen }, testHost());

/** The reward of each action. An episode has two turns of one action. Its return is their mean, and 1 is success. */
const worth = { left: 0, up: 0.5, right: 1 };

/**
 * Plays groups, imitates the selected episodes, and returns the final probability of each action, as a mean over both
 * turns.
 */
async function train(algorithm: Algorithm, { iterations = 20, groups = 8, groupSize = 8 } = {}) {
  const policy = new TabularPolicy({ texts: ['left up right go on'], contextLength: 2, seed: 4 });
  await policy.resetOptimizer({ name: 'sgd', options: {} });
  const { encoder } = policy;
  const ids = Object.keys(worth).map((action) => encoder.encodeAction(action)[0]!);
  const [prompt, observation] = [encoder.begin('', 'go'), encoder.append('on')];
  const { random } = testHost(7);

  async function act(tokens: readonly number[], sequence: string): Promise<{ token: number; earned: number }> {
    const draws = Float64Array.of(1 - random.stream(sequence).uniform());
    const request = { tokens, sequence, endIds: [], maxTokens: 1, draws };
    const [answer] = await policy.generate([request], { temperature: 1, topP: 1, topK: 0 });
    const token = answer!.tokens[0]!;
    return { token, earned: (Object.values(worth)[ids.indexOf(token)] ?? 0) / 2 };
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
    const earned = first.earned + second.earned;
    const record = { tokens, mask, logprobs: tokens.map(() => 0) };
    return { group, turns, success: earned === 1, return: earned, sequences: [record] } as unknown as CompletedEpisode;
  }

  for (let iteration = 0; iteration < iterations; iteration += 1) {
    const units: (readonly CompletedEpisode[])[] = [];
    for (let group = 0; group < groups; group += 1) {
      const members: CompletedEpisode[] = [];
      for (let member = 0; member < groupSize; member += 1) {
        members.push(await play(group, [iteration, group, member].join('/')));
      }
      units.push(...(algorithm.select?.(members) ?? []));
    }
    if (units.length === 0) continue;
    const rows = units
      .flat()
      .map((episode) => ({ ...episode, record: episode.sequences![0], truncated: false }) as unknown as BatchRow);
    const built = buildBatch(rows, 1);
    const batch = { ...built, advantages: algorithm.advantages(built, {}).advantages };
    await policy.forwardBackward(
      { ...batch, weight: algorithm.weights(batch) },
      algorithm.loss(lossOperations, lossInputs),
    );
    await policy.optimizerStep({ learningRate: 2 });
  }
  const before = [prompt, [...prompt, ids[0]!, ...observation]].map((prefix) => policy.probabilities(prefix));
  const share = (id: number): number => before.reduce((sum, probabilities) => sum + probabilities[id]! / 2, 0);
  return Object.fromEntries(Object.keys(worth).map((action, index) => [action, share(ids[index]!)]));
}

describe('expert iteration learns', () => {
  // Goes red when failures are imitated: the policy then imitates everything that it does, and does not change.
  it('what succeeded, in groups and in groups of one', async () => {
    expect((await train(expertIteration()))['right']).toBeGreaterThan(0.9);
    const alone = await train(expertIteration(), { iterations: 40, groups: 64, groupSize: 1 });
    expect(alone['right']).toBeGreaterThan(0.9);
  });

  // Goes red when the threshold is not read, or the best of a group is not preferred.
  it('what lies above a threshold, and the best of it where only the best is kept', async () => {
    const threshold = { keep: 'return', returnAbove: 0.4 } as const;
    const content = await train(expertIteration({ ...threshold, distinct: false }), { iterations: 30 });
    const ambitious = await train(expertIteration({ ...threshold, perTask: 1 }), { iterations: 30 });
    expect(content['right']).toBeGreaterThan(0.7);
    expect(content['right']).toBeLessThan(0.9);
    expect(ambitious['right']).toBeGreaterThan(0.95);
  });
});
