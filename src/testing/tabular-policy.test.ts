import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import type { TrainingBatch } from '../contracts/batch.js';
import { emptyBatch } from '../credit/batch-columns.js';
import { lossInputs as inputs, lossOperations as ops } from '../credit/loss-operations.js';
import { createRandom } from '../random/create-random.js';
import { sampleToken } from './sample-token.js';
import { TabularPolicy } from './tabular-policy.js';

const texts = ['left right', 'up'];
const folder = (): string => mkdtempSync(join(tmpdir(), 'agentgym-tabular-'));
const supervised = { terms: { loss: ops.sub(ops.constant(0), inputs.logprob) } };

/** Rows of tokens. All tokens except the first are sampled and have weight 1. */
function batchOf(sequences: readonly (readonly number[])[], temperature = 1): TrainingBatch {
  const rows = sequences.length;
  const width = Math.max(...sequences.map((sequence) => sequence.length));
  const filled = <T>(of: (row: number, t: number) => T): T[] =>
    sequences.flatMap((_, row) => Array.from({ length: width }, (_, t) => of(row, t)));
  const sampled = (row: number, t: number): boolean => t > 0 && t < (sequences[row]?.length ?? 0);
  return {
    ...emptyBatch({ rows, width, temperature }),
    tokens: Int32Array.from(filled((row, t) => sequences[row]?.[t] ?? 0)),
    length: Int32Array.from(sequences.map((sequence) => sequence.length)),
    mask: Uint8Array.from(filled((row, t) => Number(sampled(row, t)))),
    turn: Int32Array.from(filled((row, t) => (sampled(row, t) ? 0 : -1))),
    weight: Float64Array.from(filled((row, t) => Number(sampled(row, t)))),
  };
}

describe('TabularPolicy', () => {
  it('has the derivatives of its logits (finite differences, temperature 0.7, log probability and entropy)', async () => {
    const policy = new TabularPolicy({ texts, contextLength: 1, deviation: 1, seed: 3 });
    const batch = batchOf([[1, 5, 6, 5]], 0.7);
    const loss = { terms: { a: ops.mul(inputs.logprob, inputs.logprob), b: ops.exp(inputs.entropy) } };
    const total = async (): Promise<number> => {
      const { terms } = await policy.forwardBackward(batch, loss);
      return Object.values(terms).reduce((sum, term) => sum + term, 0);
    };
    await total();
    const gradient = policy.accumulatedGradient([5]);
    const logits = [...policy.probabilities([5])].map(Math.log);
    for (let id = 0; id < logits.length; id += 1) {
      const step = 1e-5;
      policy.setLogits([5], logits.with(id, (logits[id] ?? 0) + step));
      const above = await total();
      policy.setLogits([5], logits.with(id, (logits[id] ?? 0) - step));
      const below = await total();
      expect(gradient[id]).toBeCloseTo((above - below) / (2 * step), 6);
    }
  });

  it('takes AdamW steps like a slow reference', async () => {
    const policy = new TabularPolicy({ texts, contextLength: 1 });
    await policy.resetOptimizer({ name: 'adamw', options: { beta1: 0.8, beta2: 0.9, weightDecay: 0.1 } });
    const size = policy.encoder.vocabularySize;
    const logits = new Array<number>(size).fill(0);
    const first = new Array<number>(size).fill(0);
    const second = new Array<number>(size).fill(0);
    for (let step = 1; step <= 3; step += 1) {
      await policy.forwardBackward(batchOf([[1, 5]]), supervised);
      const { gradientNorm } = await policy.optimizerStep({ learningRate: 0.1, clipNorm: 0.5 });
      const total = logits.reduce((sum, logit) => sum + Math.exp(logit), 0);
      const raw = logits.map((logit, id) => Math.exp(logit) / total - Number(id === 5));
      const norm = Math.hypot(...raw);
      expect(gradientNorm).toBeCloseTo(norm, 12);
      for (let id = 0; id < size; id += 1) {
        const g = (raw[id] ?? 0) * Math.min(1, 0.5 / norm);
        first[id] = 0.8 * (first[id] ?? 0) + 0.2 * g;
        second[id] = 0.9 * (second[id] ?? 0) + 0.1 * g * g;
        const direction =
          (first[id] as number) / (1 - 0.8 ** step) / (Math.sqrt((second[id] as number) / (1 - 0.9 ** step)) + 1e-8);
        logits[id] = (logits[id] ?? 0) - 0.1 * 0.1 * (logits[id] ?? 0) - 0.1 * direction;
      }
    }
    const total = logits.reduce((sum, logit) => sum + Math.exp(logit), 0);
    expect([...policy.probabilities([1])]).toEqual(
      logits.map((logit) => expect.closeTo(Math.exp(logit) / total, 12) as number),
    );
    expect(policy.policyVersion).toBe(3);
  });

  it('goes on from a saved folder bit for bit, in a model with another vocabulary', async () => {
    const policy = new TabularPolicy({ texts, contextLength: 2, valueHead: true, deviation: 0.3 });
    const step = async (model: TabularPolicy): Promise<number> => {
      await model.forwardBackward(
        batchOf([
          [1, 5, 6],
          [1, 6, 7, 4],
        ]),
        supervised,
      );
      return (await model.optimizerStep({ learningRate: 0.05 })).gradientNorm;
    };
    await step(policy);
    const directory = folder();
    await policy.save(directory);
    const other = new TabularPolicy({ texts: ['something else'] });
    await other.load(directory);
    expect(other.policyVersion).toBe(1);
    for (let i = 0; i < 3; i += 1) expect(await step(other)).toBe(await step(policy));
    const [end, begun] = [folder(), folder()];
    await policy.save(end);
    await other.save(begun);
    expect(readFileSync(join(begun, 'tabular-policy.json'))).toEqual(readFileSync(join(end, 'tabular-policy.json')));
  });

  it('refuses half a checkpoint and stays as it was', async () => {
    const policy = new TabularPolicy({ texts, contextLength: 1 });
    const directory = folder();
    await policy.save(directory);
    const path = join(directory, 'tabular-policy.json');
    writeFileSync(path, readFileSync(path).subarray(0, 200));
    await expect(policy.load(directory)).rejects.toThrow(/not a complete checkpoint/);
    expect(policy.encoder.encodeAction('up')).not.toEqual([0]);
  });

  it('learns a rule from examples, whatever the seed of its weights', async () => {
    const policy = new TabularPolicy({ texts, contextLength: 1, deviation: 0.5, seed: 8 });
    const [left, right, up] = ['left', 'right', 'up'].map((word) => policy.encoder.encodeAction(word)[0] ?? 0);
    for (let i = 0; i < 60; i += 1) {
      await policy.forwardBackward(batchOf([[left ?? 0, right ?? 0, up ?? 0]]), supervised);
      await policy.optimizerStep({ learningRate: 0.3 });
    }
    expect(policy.probabilities([left ?? 0])[right ?? 0]).toBeGreaterThan(0.95);
    expect(policy.probabilities([right ?? 0])[up ?? 0]).toBeGreaterThan(0.95);
  });

  it('names an optimizer and an option it does not have', async () => {
    const policy = new TabularPolicy({ texts });
    await expect(policy.resetOptimizer({ name: 'muon', options: {} })).rejects.toThrow(/no optimizer `muon`/);
    await expect(policy.resetOptimizer({ name: 'sgd', options: { momentum: 0.9 } })).rejects.toThrow(/`momentum`/);
  });
});

describe('sampleToken', () => {
  const probabilities = [0.1, 0.4, 0.15, 0.35];
  const logits = Float64Array.from(probabilities, Math.log);
  const share = (sampling: { temperature?: number; topP?: number; topK?: number }): number[] => {
    const random = createRandom(5);
    const counts = [0, 0, 0, 0];
    for (let i = 0; i < 20_000; i += 1) {
      const { token } = sampleToken(logits, { temperature: 1, topP: 1, topK: 0, ...sampling }, 1 - random.uniform());
      counts[token] = (counts[token] ?? 0) + 1 / 20_000;
    }
    return counts;
  };
  const close = (expected: readonly number[]): unknown => expected.map((value): unknown => expect.closeTo(value, 1));

  it('draws in proportion, and each id where the cumulative probability says', () => {
    expect(share({})).toEqual(close(probabilities));
    const plain = { temperature: 1, topP: 1, topK: 0 };
    expect([0.05, 0.11, 0.49, 0.51, 0.66, 1].map((draw) => sampleToken(logits, plain, draw).token)).toEqual([
      0, 1, 1, 2, 3, 3,
    ]);
  });

  it('keeps the likeliest by top-k and top-p, and records the logprob over the whole vocabulary', () => {
    expect(share({ topK: 2 })).toEqual(close([0, 0.4 / 0.75, 0, 0.35 / 0.75]));
    expect(share({ topP: 0.8 })).toEqual(close([0, 0.4 / 0.9, 0.15 / 0.9, 0.35 / 0.9]));
    expect(sampleToken(logits, { temperature: 1, topP: 0.3, topK: 0 }, 0.5)).toEqual({
      token: 1,
      logprob: expect.closeTo(Math.log(0.4), 12) as number,
    });
  });

  it('takes the lowest id of the highest logits at temperature 0, with its logprob at temperature 1', () => {
    const tied = Float64Array.of(0, 2, 2);
    const { token, logprob } = sampleToken(tied, { temperature: 0, topP: 1, topK: 0 }, 0.99);
    expect(token).toBe(1);
    expect(logprob).toBeCloseTo(2 - Math.log(1 + 2 * Math.exp(2)), 12);
  });
});
