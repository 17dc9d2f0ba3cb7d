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
    const loss = { terms: { policy: sub(constant(0), constant(0)) }, metrics: { token: advantages }, rowMetrics: { row: advantages } }; // prettier-ignore
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
});
