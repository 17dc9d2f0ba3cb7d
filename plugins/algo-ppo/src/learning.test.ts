import type { Algorithm } from '@agentgym/cli';
import { buildBatch, lossInputs, lossOperations, optionDefaults, TabularPolicy, testHost } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { options, type Options } from './options.js';
import { create } from './ppo.js';

const rates = { policy: 3, critic: 2 };

/**
 * A game of two turns: one word, an observation, another word. The first word decides, but the reward comes with the
 * second, so credit must cross the observation. Runs the steps of the training loop on tabular policies.
 */
async function train(chosen: Partial<Options>, steps: number) {
  const algorithm: Algorithm = create({ ...optionDefaults(options), ...chosen }, testHost());
  const plan = algorithm.critic!;
  const table = { texts: ['left right go on'], seed: 4 };
  const policy = new TabularPolicy({ ...table, valueHead: plan.trunk === 'shared' });
  const own = plan.trunk === 'own' ? new TabularPolicy({ ...table, valueHead: true }) : undefined;
  const critic = own ?? policy;
  for (const model of [policy, critic]) await model.resetOptimizer({ name: 'sgd', options: {} });
  const losses = { policy: algorithm.loss(lossOperations, lossInputs), critic: plan.loss(lossOperations, lossInputs) };
  const both = { terms: { ...losses.policy.terms, ...losses.critic.terms } };

  const prompt = policy.encoder.begin('', 'go');
  const gap = policy.encoder.append('on');
  const [right] = policy.encoder.encodeAction('right');
  const { random } = testHost(7);
  const speak = (prefixes: readonly (readonly number[])[], ...key: number[]) =>
    policy.generate(
      prefixes.map((tokens, i) => {
        const draws = Float64Array.of(1 - random.stream(...key, i).uniform());
        return { tokens, sequence: `${i}`, endIds: [], maxTokens: 1, draws };
      }),
      { temperature: 1, topP: 1, topK: 0 },
    );

  for (let step = 1; step <= steps; step += 1) {
    const first = await speak(Array<readonly number[]>(64).fill(prompt), step, 1);
    const second = await speak(
      first.map(({ tokens }) => [...prompt, ...tokens, ...gap]),
      step,
      2,
    );
    const [early, late] = [prompt.length, prompt.length + 1 + gap.length];
    const built = buildBatch(
      first.map(({ tokens, logprobs }, i) => {
        const all = [...prompt, ...tokens, ...gap, ...second[i]!.tokens];
        const pick = (a: number, b: number) => all.map((_, t) => (t === early ? a : t === late ? b : 0));
        return {
          record: { tokens: all, mask: pick(1, 1) as (0 | 1)[], logprobs: pick(logprobs[0]!, second[i]!.logprobs[0]!) },
          turns: [
            { sampled: [early, early + 1], reward: 0 },
            { sampled: [late, late + 1], reward: Number(tokens[0] === right) },
          ],
          group: i,
          truncated: false,
        };
      }),
      1,
    );
    const valued = { ...built, values: await critic.values(built) };
    const { advantages, returns } = algorithm.advantages(valued, algorithm.initialState);
    const batch = { ...valued, advantages, returns: returns! };
    for (let update = 0; update < 4; update += 1) {
      const mask = batch.mask.map((sampled, index) =>
        Math.floor(index / batch.width) % 2 === update % 2 ? sampled : 0,
      );
      const minibatch = { ...batch, mask };
      const weighted = { ...minibatch, weight: algorithm.weights(minibatch) };
      const warming = step <= plan.warmup;
      if (own === undefined) await policy.forwardBackward(weighted, warming ? losses.critic : both);
      else {
        if (!warming) await policy.forwardBackward(weighted, losses.policy);
        await own.forwardBackward(weighted, losses.critic);
        await own.optimizerStep({ learningRate: plan.learningRate ?? rates.policy });
      }
      await policy.optimizerStep({ learningRate: rates.policy });
    }
  }
  return policy.probabilities(prompt)[right!]!;
}

describe('PPO', () => {
  // Goes red when a reward does not cross the observation, when the policy moves in the wrong direction, or when a
  // warm-up never ends.
  it.each<[string, Partial<Options>]>([
    ['with a second model', { criticLearningRate: rates.critic }],
    ['with a shared trunk', { critic: 'shared' }],
    ['turn by turn', { criticLearningRate: rates.critic, level: 'turn', lambda: 0.95, valueClip: 0.5 }],
    ['without whitening', { criticLearningRate: rates.critic, whiten: false }],
  ])('%s: learns what is rewarded a turn later', async (_title, chosen) => {
    expect(await train(chosen, 40)).toBeGreaterThan(0.9);
  });

  // With lambda 0, the first word gets only the critic's value of the second as credit. Goes red when the critic's loss
  // does not train it.
  it('learns by the critic alone, where it is taught', async () => {
    expect(await train({ lambda: 0, criticLearningRate: rates.critic }, 60)).toBeGreaterThan(0.9);
    expect(await train({ lambda: 0, criticLearningRate: 1e-12 }, 60)).toBeLessThan(0.3);
  });

  // Goes red when the policy is trained while its critic is warmed up.
  it('leaves the policy as it was while a second model warms up', async () => {
    const untouched = await train({ criticLearningRate: rates.critic, criticWarmup: 0 }, 0);
    expect(await train({ criticLearningRate: rates.critic }, 5)).toBe(untouched);
    expect(await train({ criticLearningRate: rates.critic }, 8)).toBeGreaterThan(untouched);
  });
});
