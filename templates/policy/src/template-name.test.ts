import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Loss, PolicyModel, TrainingBatch } from '@agentgym/cli';
import { buildBatch, lossInputs, lossOperations as ops, testHost } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { create } from './template-name.js';

async function* corpus(): AsyncGenerator<string> {
  yield* ['left right', 'up down'];
  await Promise.resolve();
}
const open = (changes: { from?: string; valueHead?: boolean } = {}): Promise<PolicyModel> =>
  create({ window: 3 }, testHost(), { corpus, valueHead: false, ...changes });

/** A batch with the action `right` after `up`. */
function demonstration({ encoder }: PolicyModel): TrainingBatch {
  const [prompt, sampled] = [encoder.begin('', 'up'), [...encoder.encodeAction('right'), encoder.endIds[0]!]];
  const tokens = [...prompt, ...sampled];
  const mask = tokens.map((_, t): 0 | 1 => (t < prompt.length ? 0 : 1));
  const record = { tokens, mask, logprobs: tokens.map(() => 0) };
  const built = buildBatch(
    [{ record, turns: [{ sampled: [prompt.length, tokens.length], reward: 1 }], group: 0, truncated: false }],
    1,
  );
  return { ...built, weight: built.weight.fill(1) };
}
const imitate: Loss = { terms: { surprise: ops.sub(ops.constant(0), lossInputs.logprob) } };
const likelihood = async (policy: PolicyModel): Promise<number> =>
  Math.exp((await policy.logprobs(demonstration(policy))).reduce((sum, logprob) => sum + logprob, 0));

describe('template-name', () => {
  it('begins uniform, and learns what it is shown', async () => {
    const policy = await open();
    // Eleven ids: five markers, and four words, two of which also occur after a space.
    expect(await likelihood(policy)).toBeCloseTo((1 / 11) ** 2, 12);
    for (let step = 0; step < 40; step += 1) {
      await policy.forwardBackward(demonstration(policy), imitate);
      await policy.optimizerStep({ learningRate: 0.1 });
    }
    expect(await likelihood(policy)).toBeGreaterThan(0.95);
  });

  it('has the gradient of a softmax', async () => {
    const policy = await open();
    await policy.forwardBackward(demonstration(policy), imitate);
    // p - 1 at the token and p at ten others, for two tokens with three rows each.
    const { gradientNorm } = await policy.optimizerStep({ learningRate: 0 });
    expect(gradientNorm).toBeCloseTo(Math.sqrt(2 * 3 * ((10 / 11) ** 2 + 10 / 11 ** 2)), 12);
  });

  it('starts from a folder that another saved, also where a value head is added', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'policy-'));
    try {
      const policy = await open();
      await policy.forwardBackward(demonstration(policy), imitate);
      await policy.optimizerStep({ learningRate: 0.5 });
      await policy.save(folder);
      for (const valueHead of [false, true]) {
        const other = await open({ from: folder, valueHead });
        expect(await likelihood(other)).toBe(await likelihood(policy));
        expect(other.capabilities.live.includes('value')).toBe(valueHead);
        await other.forwardBackward(demonstration(other), imitate);
        await other.optimizerStep({ learningRate: 0.5 });
        expect(await likelihood(other)).toBeGreaterThan(await likelihood(policy));
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('knows no word that the corpus does not have, and loses no other', async () => {
    const { encoder } = await open();
    expect(encoder.decode(encoder.encodeAction('left right'))).toBe('left right');
    expect(encoder.decode(encoder.encodeAction('left sideways'))).toBe('left\uFFFD');
    expect(() => encoder.encodeAction('\u0000\ud800 <end>')).not.toThrow();
  });
});
