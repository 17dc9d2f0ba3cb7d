import type { TrainingBatch } from '@agentgym/cli';
import {
  buildBatch,
  evaluateLoss,
  lossInputs,
  lossOperations,
  optionChecks,
  testHost,
  type BatchRow,
} from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import type { Options } from './options.js';
import { create, validate } from './template-name.js';

/** Not read from `options.ts`, so that new defaults do not break tests. */
const usual: Options = { clip: 0.2, entropyCoefficient: 0 };
const algorithm = create(usual, testHost());

/** An episode of one turn: two prompt tokens and two sampled tokens. */
function episode(group: number, reward: number): BatchRow {
  const record = { tokens: [1, 2, 3, 0], mask: [0, 0, 1, 1] as const, logprobs: [0, 0, -1, -0.5] };
  return { record, turns: [{ sampled: [2, 4], reward }], group, truncated: false };
}
/** Two groups, and a single episode. */
const batch = buildBatch([episode(0, 1), episode(0, 0), episode(0, 0), episode(1, 1), episode(1, 1), episode(2, 1)], 1);
const perRow = (values: Float64Array) =>
  Array.from({ length: batch.rows }, (_, row) => [...values.subarray(row * batch.width, (row + 1) * batch.width)]);

describe('template-name', () => {
  it('measures an episode against the others of its group, on sampled tokens alone', () => {
    const { advantages } = algorithm.advantages(batch, {});
    const onSampled = (advantage: number) => [0, 0, advantage, advantage];
    expect(perRow(advantages)).toEqual([1, -0.5, -0.5, 0, 0, 0].map(onSampled));
  });

  it('makes what was rewarded likelier, until the ratio leaves its bounds', () => {
    const credited: TrainingBatch = { ...batch, advantages: algorithm.advantages(batch, {}).advantages };
    const weighted = { ...credited, weight: algorithm.weights(credited) };
    const loss = algorithm.loss(lossOperations, lossInputs);
    const derivatives = (moved: number) => {
      const logprob = batch.logprobs.map((logprob) => logprob + moved);
      return perRow(evaluateLoss(weighted, { logprob, entropy: logprob.map(() => 0) }, loss).gradients.logprob);
    };
    // The loss is a mean over six episodes: the derivative of a token is minus its advantage times its ratio, over six.
    const [won, lost] = derivatives(0);
    expect(won).toEqual([0, 0, -1 / 6, -1 / 6]);
    expect(lost).toEqual([0, 0, 0.5 / 6, 0.5 / 6]);
    // With a ratio above 1.2, a success has no derivative, but a failure still has one.
    const [wonBeyond, lostBeyond] = derivatives(0.3);
    expect(wonBeyond?.map(Math.abs)).toEqual([0, 0, 0, 0]);
    expect(lostBeyond?.[2]).toBeCloseTo((0.5 * Math.exp(0.3)) / 6, 12);
  });

  it('names settings that have no effect', () => {
    const settings = { groupSize: 8, epochs: 1, minibatches: 2, recomputeLogprobs: false, importanceCap: 2 };
    expect(validate(usual, settings, optionChecks)).toEqual([]);
    expect(validate(usual, { ...settings, groupSize: 1 }, optionChecks)).toMatchObject([{ setting: 'groupSize' }]);
    expect(validate(usual, { ...settings, minibatches: 1 }, optionChecks)).toMatchObject([{ path: ['clip'] }]);
  });
});
