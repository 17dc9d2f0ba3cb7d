import { describe, expect, it } from 'vitest';

import { emptyBatch } from '../credit/batch-columns.js';
import { lossInputs, lossOperations } from '../credit/loss-operations.js';
import { TabularPolicy } from '../testing/tabular-policy.js';
import { GradientSteps } from './gradient-steps.js';
import { crossEntropy } from './supervised.js';

describe('GradientSteps', () => {
  // Goes red when a long answer counts for more than a short one, or a row without a token counts at all.
  it('averages metrics of rows over rows, and those of tokens over tokens', async () => {
    const model = new TabularPolicy({ texts: ['left right'], contextLength: 2, seed: 1 });
    await model.resetOptimizer({ name: 'adamw', options: {} });
    const { constant, sub } = lossOperations;
    const batch = emptyBatch({ rows: 3, width: 6, temperature: 1 });
    batch.tokens.fill(1);
    // One sampled token in the first row, four in the second, none in the third.
    for (const index of [1, 6 + 1, 6 + 2, 6 + 3, 6 + 4]) batch.mask[index] = 1;
    batch.advantages.fill(10, 0, 6).fill(20, 6, 12).fill(7777, 12);
    const { advantages } = lossInputs;
    const loss = { terms: { policy: sub(constant(0), constant(0)) }, metrics: { token: advantages }, episodeMetrics: { row: advantages } }; // prettier-ignore
    const steps = new GradientSteps(model, loss, { learningRate: 0.1 }, 0);
    await steps.take(batch);
    await steps.take(batch);
    expect(steps.metrics()['train/token']).toBeCloseTo((10 + 4 * 20) / 5, 12);
    expect(steps.metrics()['train/row']).toBeCloseTo(15, 12);
  });

  // A model that cannot tell its entropy has no such metric in the log, which drops what is not finite.
  it('has no entropy if the model gives none', async () => {
    const model = new TabularPolicy({ texts: ['left right'], contextLength: 2, seed: 1 });
    const learn = model.forwardBackward.bind(model);
    model.forwardBackward = (batch, loss) => learn(batch, loss).then(({ entropy: _, ...rest }) => rest);
    const batch = emptyBatch({ rows: 1, width: 3, temperature: 1 });
    batch.mask[1] = 1;
    batch.weight[1] = 1;
    const steps = new GradientSteps(model, crossEntropy, { learningRate: 0.1 }, 0);
    await steps.take(batch);
    expect(steps.metrics()['train/entropy']).toBeNaN();
    expect(steps.metrics()['train/gradient_norm']).toBeGreaterThan(0);
  });

  // The reference computes the softmax of each row at its own temperature, by hand. Goes red when rows of different
  // temperatures are computed together, or when a part of them makes a step of its own.
  it('trains each row at the temperature at which it was sampled', async () => {
    const model = new TabularPolicy({ texts: ['left right'], contextLength: 1, deviation: 1, seed: 4 });
    await model.resetOptimizer({ name: 'adamw', options: {} });
    const vocabulary = model.encoder.vocabularySize;
    const rows = [
      { temperature: 0.5, tokens: [1, 3, 5] },
      { temperature: 2, tokens: [1, 5] },
      { temperature: 0.5, tokens: [1, 4, 3] },
    ];
    const batch = {
      ...emptyBatch({ rows: 3, width: 3, temperature: NaN }),
      temperatures: Float64Array.from(rows, ({ temperature }) => temperature),
    };
    const expected = new Map<number, number[]>();
    const logits = new Map<number, readonly number[]>();
    for (const [row, { temperature, tokens }] of rows.entries()) {
      batch.tokens.set(tokens, 3 * row);
      batch.length[row] = tokens.length;
      for (const [place, token] of tokens.slice(1).entries()) {
        const [index, context] = [3 * row + place + 1, tokens[place]!];
        batch.mask[index] = 1;
        batch.weight[index] = 0.1 * (index + 1);
        // At temperature 1, probabilities are logits up to a constant.
        const own = logits.get(context) ?? Array.from(model.probabilities([context]), Math.log);
        logits.set(context, own);
        const exponents = own.map((logit) => Math.exp(logit / temperature));
        const sum = exponents.reduce((total, one) => total + one, 0);
        const gradient = expected.get(context) ?? Array.from({ length: vocabulary }, () => 0);
        expected.set(context, gradient);
        for (let id = 0; id < vocabulary; id += 1) {
          const slope = (exponents[id]! / sum - (id === token ? 1 : 0)) / temperature;
          gradient[id]! += batch.weight[index] * slope;
        }
        batch.logprobs[index] = Math.log(exponents[token]! / sum);
      }
    }
    const found = new Map<number, number[]>();
    let made = 0;
    const step = model.optimizerStep.bind(model);
    model.optimizerStep = (settings) => {
      made += 1;
      for (const context of expected.keys()) found.set(context, [...model.accumulatedGradient([context])]);
      return step(settings);
    };
    const steps = new GradientSteps(model, crossEntropy, { learningRate: 0.1 }, 0);
    await steps.take(batch);
    expect(made).toBe(1);
    for (const [context, gradient] of expected) {
      for (const [id, value] of gradient.entries()) expect(found.get(context)![id]).toBeCloseTo(value, 12);
    }
    const loss = -batch.mask.reduce((sum, on, index) => sum + on * batch.weight[index]! * batch.logprobs[index]!, 0);
    expect(steps.metrics()['train/loss']).toBeCloseTo(loss, 12);
    expect(steps.samplerMetrics()['train/logprob_gap']).toBeLessThan(1e-12);
  });

  // Goes red when log probabilities of a part are read as those of the whole batch.
  it('reads the rows of one temperature in place if those of the other have no sampled token', async () => {
    const model = new TabularPolicy({ texts: ['left right'], contextLength: 1, deviation: 1, seed: 4 });
    await model.resetOptimizer({ name: 'adamw', options: {} });
    const batch = {
      ...emptyBatch({ rows: 2, width: 3, temperature: NaN }),
      temperatures: Float64Array.of(0.5, 1),
      tokens: Int32Array.of(1, 3, 4, 1, 5, 0),
    };
    batch.length.set([3, 2]);
    const sampled = 3 + 1;
    batch.mask[sampled] = 1;
    batch.weight[sampled] = 1;
    batch.logprobs[sampled] = Math.log(model.probabilities([1])[5]!);
    const steps = new GradientSteps(model, crossEntropy, { learningRate: 0.1 }, 0);
    await steps.take(batch);
    expect(steps.samplerMetrics()['train/logprob_gap']).toBeLessThan(1e-12);
  });
});
