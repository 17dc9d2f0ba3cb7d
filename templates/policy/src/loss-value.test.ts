import type { LossExpression } from '@agentgym/cli';
import {
  buildBatch,
  evaluateLoss,
  lossInputs as inputs,
  lossOperations as ops,
  testHost,
  type BatchRow,
} from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { evaluate } from './loss-value.js';

const { random } = testHost(5);

function row(length: number): BatchRow {
  const numbers = Array.from({ length }, () => -random.uniform());
  const record = {
    tokens: numbers.map((_, t) => t),
    mask: numbers.map((_, t): 0 | 1 => (t % 3 === 0 ? 0 : 1)),
    logprobs: numbers,
  };
  return { record, turns: [{ sampled: [1, length], reward: 1 }], group: 0, truncated: length > 5 };
}
const built = buildBatch([row(4), row(7), row(5), row(1)], 1);
const noise = () => built.logprobs.map(() => random.normal());
const batch = { ...built, weight: noise(), advantages: noise(), referenceLogprobs: noise() };
const live = { logprob: noise(), entropy: noise(), value: noise() };

const { logprob, logprobs, entropy, value, advantages, truncated } = inputs;
const ratio = ops.exp(ops.sub(logprob, logprobs));
const losses: { readonly [name: string]: LossExpression } = {
  clipped: ops.min(ops.mul(ratio, advantages), ops.mul(ops.clip(ratio, 0.8, 1.2), advantages)),
  'by sequence': ops.mul(ops.sequenceMean(ratio), ops.sequenceSum(ops.mul(entropy, advantages))),
  pairs: ops.logsigmoid(ops.pairDifference(ops.sequenceSum(logprob))),
  branches: ops.where(ops.greater(logprob, logprobs), ops.div(value, ops.exp(entropy)), ops.max(value, entropy)),
  'a branch that is infinite': ops.where(truncated, ops.log(ops.mul(value, value)), ops.log(ops.constant(0))),
  'what is held fast': ops.mul(ops.stopGradient(ratio), logprob),
};

// The reference is agentgym's own interpreter of losses.
describe.each(Object.entries(losses))('the loss: %s', (_name, term) => {
  it('has the value and the derivatives that it should have', () => {
    const loss = { terms: { term, entropy: ops.mul(ops.constant(-0.1), entropy) }, metrics: { ratio } };
    const [ours, theirs] = [evaluate(batch, live, loss), evaluateLoss(batch, live, loss)];
    expect(ours.terms).toEqual(theirs.terms);
    expect(ours.metrics['ratio']).toBeCloseTo(theirs.metrics['ratio']!, 12);
    for (const name of ['logprob', 'entropy', 'value'] as const) {
      const [mine, reference] = [ours.gradients[name], theirs.gradients[name]];
      mine.forEach((number, index) => expect(number).toBeCloseTo(reference[index]!, 12));
    }
  });
});
