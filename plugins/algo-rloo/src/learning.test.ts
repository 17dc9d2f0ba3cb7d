import type { Algorithm } from '@agentgym/cli';
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

import { options, type Options } from './options.js';
import { create } from './rloo.js';

const { random } = testHost(7);

describe('learning', () => {
  /**
   * Two turns of one token: `right` is rewarded after `up`, `left` after `down`. Returns the final probability of both.
   */
  async function train(algorithm: Algorithm, passes: number): Promise<number> {
    const policy = new TabularPolicy({ texts: ['left right up down'], contextLength: 2, seed: 4 });
    await policy.resetOptimizer({ name: 'sgd', options: {} });
    const { encoder } = policy;
    const good = ['right', 'left'].map((text) => encoder.encodeAction(text)[0]!);
    const [begin, next] = [encoder.begin('', 'up'), encoder.append('down')];
    for (let iteration = 0; iteration < 40; iteration += 1) {
      let rows = Array.from({ length: 64 }, () => ({
        tokens: [...begin],
        turns: [] as BatchRow['turns'][number][],
        logprobs: begin.map(() => 0),
      }));
      for (const turn of [0, 1]) {
        const requests = rows.map(({ tokens }, i) => {
          const draws = Float64Array.of(1 - random.stream('train', iteration, turn, i).uniform());
          return { tokens, sequence: `${i}`, endIds: [], maxTokens: 1, draws };
        });
        const answers = await policy.generate(requests, { temperature: 1, topP: 1, topK: 0 });
        rows = rows.map(({ tokens, turns, logprobs }, i) => ({
          tokens: [...tokens, ...answers[i]!.tokens, ...next],
          turns: [
            ...turns,
            { sampled: [tokens.length, tokens.length + 1], reward: Number(answers[i]!.tokens[0] === good[turn]) },
          ],
          logprobs: [...logprobs, ...answers[i]!.logprobs, ...next.map(() => 0)],
        }));
      }
      const built = buildBatch(
        rows.map(({ tokens, turns, logprobs }, row) => {
          const mask = tokens.map((_, t) => (turns.some(({ sampled: [start] }) => start === t) ? 1 : 0));
          return { record: { tokens, mask, logprobs }, turns, group: Math.floor(row / 8), truncated: false };
        }),
        1,
      );
      const batch = { ...built, advantages: algorithm.advantages(built, {}).advantages };
      for (let pass = 0; pass < passes; pass += 1) {
        await policy.forwardBackward(
          { ...batch, weight: algorithm.weights(batch) },
          algorithm.loss(lossOperations, lossInputs),
        );
        await policy.optimizerStep({ learningRate: 1 });
      }
    }
    return policy.probabilities(begin)[good[0]!]! * policy.probabilities([...begin, ...next])[good[1]!]!;
  }

  // Goes red when the loss or the advantages have the wrong sign.
  it.each<[string, Partial<Options>, number]>([
    ['whole returns', {}, 1],
    ['turns', { level: 'turn' }, 1],
    ['several clipped passes', { level: 'turn', importance: 'clipped' }, 3],
  ])('learns both turns from %s', async (_title, chosen, passes) => {
    expect(await train(create({ ...optionDefaults(options), ...chosen }, testHost()), passes)).toBeGreaterThan(0.85);
  });
});
