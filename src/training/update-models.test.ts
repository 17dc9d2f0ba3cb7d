import { describe, expect, it } from 'vitest';

import type { PolicyModel } from '../contracts/policy.js';
import { emptyBatch } from '../credit/batch-columns.js';
import { lossInputs, lossOperations } from '../credit/loss-operations.js';
import { TabularPolicy } from '../testing/tabular-policy.js';
import { testHost } from '../testing/test-host.js';
import { reinforce } from './fixtures/reinforce.js';
import { updateModels } from './update-models.js';

/** Two minibatches of one row each. */
async function train(model: PolicyModel): Promise<void> {
  const batch = emptyBatch({ rows: 2, width: 3, temperature: 1 });
  batch.length.fill(3);
  for (const row of [0, 1]) {
    batch.mask[3 * row + 1] = 1;
    batch.group[row] = row;
  }
  const algorithm = reinforce();
  const badInRow = { policy: 0, critic: 0 };
  const update = { groupSize: 1, epochs: 1, minibatches: 2, recomputeLogprobs: false, importanceCap: 2 };
  const learningRate = { peak: 0.1, schedule: 'constant' as const, warmup: 0, floor: 0 };
  const optimizer = { settings: { name: 'adamw', options: {} }, learningRate, clipNorm: 1 };
  const losses = { policy: algorithm.loss(lossOperations, lossInputs) };
  const options = { algorithm, update, model, optimizer, steps: 1, random: testHost().random };
  await updateModels(batch, losses, 1, badInRow, options);
}

/** Whether each call was made while an earlier one had not answered. */
async function follow(ahead: boolean, broken = false): Promise<readonly string[]> {
  const model = new TabularPolicy({ texts: ['left right'], contextLength: 2, seed: 1 });
  const calls: string[] = [];
  let open = 0;
  // Calls are made one after the other, as a server makes them.
  let queue: Promise<unknown> = Promise.resolve();
  const served = <Answer>(name: string, answer: () => Promise<Answer>): Promise<Answer> => {
    calls.push(open > 0 ? `${name} early` : name);
    open += 1;
    const result = queue.then(answer).finally(() => void (open -= 1));
    queue = result.catch(() => undefined);
    return result;
  };
  const [learn, step] = [model.forwardBackward.bind(model), model.optimizerStep.bind(model)];
  model.forwardBackward = (batch, loss) =>
    served('learn', () => (broken ? Promise.reject(new Error(`${calls.length} calls`)) : learn(batch, loss)));
  model.optimizerStep = (settings) => served('step', () => step(settings));
  const capabilities = { ...model.capabilities, ahead };
  Object.defineProperty(model, 'capabilities', { get: () => capabilities });
  await train(model).catch((error: Error) => calls.push(error.message));
  return calls;
}

describe('updateModels', () => {
  it('asks for the next minibatch before the last has answered, if the model may be asked ahead', async () => {
    expect(await follow(true)).toEqual(['learn', 'step early', 'learn early', 'step early']);
    expect(await follow(false)).toEqual(['learn', 'step', 'learn', 'step']);
  });

  it('tells the error of the first minibatch that failed', async () => {
    expect((await follow(true, true)).at(-1)).toBe('2 calls');
    expect((await follow(false, true)).at(-1)).toBe('1 calls');
  });
});
