import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { GeneratedTokens, Loss, PolicyModel, Sampling, TrainingBatch } from '@agentgym/cli';
import { emptyBatch, testHost } from '@agentgym/cli/testing';
import { beforeAll, describe, expect, it } from 'vitest';

import { copyBytes } from '../generation/quantized-weights.js';
import { grouped } from '../generation/fixtures/small-models.js';
import type { TransformerOptions } from '../options.js';
import { policyOpener } from './fixtures/policy-opener.js';

const policyOf = policyOpener({ threads: 1 });

/** A folder with a base model. */
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentgym-base-'));
  await (await policyOf({}, { preset: 'nano' })).save(folder);
});
const adapted = (changes: Partial<TransformerOptions> = {}) => policyOf({ loraRank: 4, ...changes }, { from: folder });

const training: Sampling = { temperature: 1, topP: 1, topK: 0 };
const rows = 8;

function sample(policy: PolicyModel, sampling: Sampling): Promise<GeneratedTokens[]> {
  return policy.generate(
    Array.from({ length: rows }, (_, row) => ({
      tokens: policy.encoder.begin('', `guess ${row % 3} between 4 and 33`),
      sequence: `episode ${row}`,
      endIds: [],
      maxTokens: 9,
      draws: Float64Array.from({ length: 9 }, (__, at) => 1 - testHost(row).random.stream(at).uniform()),
    })),
    sampling,
  );
}

function batchOf(policy: PolicyModel, answers: readonly GeneratedTokens[]): TrainingBatch {
  const prompts = answers.map((_, row) => policy.encoder.begin('', `guess ${row % 3} between 4 and 33`));
  const width = prompts[0]!.length + 9;
  const batch = emptyBatch({ rows, width, temperature: 1 });
  batch.length.fill(width);
  for (const [row, prompt] of prompts.entries()) {
    batch.tokens.set([...prompt, ...answers[row]!.tokens], row * width);
    batch.mask.fill(1, row * width + prompt.length, (row + 1) * width);
    batch.logprobs.set(answers[row]!.logprobs, row * width + prompt.length);
  }
  batch.weight.fill(1);
  batch.advantages.forEach((_, index) => (batch.advantages[index] = Math.sin(index)));
  return batch;
}

const loss: Loss = {
  terms: { policy: { op: 'mul', left: { op: 'batch', name: 'advantages' }, right: { op: 'live', name: 'logprob' } } },
};

async function train(policy: PolicyModel): Promise<void> {
  const batch = batchOf(policy, await sample(policy, { ...training, exact: true }));
  await policy.forwardBackward(batch, loss);
  expect((await policy.optimizerStep({ learningRate: 0.02, clipNorm: 1 })).applied).toBe(true);
}

describe.each(['int8', 'int4'] as const)('samplingWeights: %s', (samplingWeights) => {
  it('samples from a copy that is near the weights but not they, and says so', async () => {
    for (const policy of [
      await adapted({ samplingWeights }),
      await policyOf({ samplingWeights }, { preset: 'nano' }),
    ]) {
      expect(policy.capabilities.sampler).toEqual({
        independent: true,
        draws: true,
        exact: false,
        concurrent: true,
        mixed: true,
      });
      expect(policy.describe()['samplingWeights']).toBe(samplingWeights);
      const batch = batchOf(policy, await sample(policy, training));
      const trainer = await policy.logprobs(batch);
      const gaps = [...batch.mask.keys()]
        .filter((i) => batch.mask[i])
        .map((i) => Math.abs(trainer[i]! - batch.logprobs[i]!));
      const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
      expect(mean).toBeGreaterThan(1e-4);
      expect(mean).toBeLessThan(0.5);
    }
  });

  it('evaluates with the weights themselves, to the last bit, before and after samples of the copy', async () => {
    const [exact, rounded] = [await adapted(), await adapted({ samplingWeights })];
    const first = await sample(exact, training);
    expect(await sample(rounded, training)).not.toEqual(first);
    expect(await sample(rounded, { ...training, exact: true })).toEqual(first);
    for (const policy of [exact, rounded]) await train(policy);
    const second = await sample(exact, { ...training, exact: true });
    expect(second).not.toEqual(first);
    expect(await sample(rounded, training)).not.toEqual(second);
    expect(await sample(rounded, { ...training, exact: true })).toEqual(second);
  });

  // Goes red if the copy of weights that are trained is not made again.
  it.each(['an adapter', 'all weights'])(
    'samples as a policy that continues from a checkpoint, training %s',
    async (what) => {
      const make = (changes: Partial<TransformerOptions> = {}) =>
        what === 'an adapter'
          ? adapted({ samplingWeights, ...changes })
          : policyOf({ samplingWeights, ...changes }, { preset: 'nano' });
      const policy = await make();
      const before = await sample(policy, training);
      await train(policy);
      const after = await sample(policy, training);
      expect(after).not.toEqual(before);
      const checkpoint = await mkdtemp(join(tmpdir(), 'agentgym-checkpoint-'));
      await policy.save(checkpoint);
      const resumed = await make();
      await resumed.load(checkpoint);
      expect(await sample(resumed, training)).toEqual(after);
      const onTwo = await make({ threads: 2 });
      await onTwo.load(checkpoint);
      expect(await sample(onTwo, training)).toEqual(after);
    },
  );
});

it('refuses a copy that no session can hold, before anything is made of it', () => {
  const large = { ...grouped, layers: 30, hiddenSize: 4096, intermediateSize: 12_000, vocabularySize: 100_000 };
  expect(copyBytes(grouped, 'int4')).toBeLessThan(0.7 * copyBytes(grouped, 'int8'));
  expect(() => copyBytes(large, 'int8')).toThrow(/in int8 has [4-9]\.\d GB.*int4 or float32/);
  expect(() => copyBytes(large, 'int4')).toThrow(/set samplingWeights to float32/);
});
