import { describe, expect, it } from 'vitest';

import type { ClipOptions } from '../contracts/credit.js';
import type { LossExpression } from '../contracts/loss.js';
import { clippedObjective } from './clipped-objective.js';
import { klExpression } from './kl-expression.js';
import { lossInputs as inputs, lossOperations as ops } from './loss-operations.js';
import { nameTerms } from './name-terms.js';

const { advantages, entropy, logprob, logprobs } = inputs;
const ratio = ops.exp(ops.sub(logprob, logprobs));
const minus = (objective: LossExpression): LossExpression => ops.sub(ops.constant(0), objective);
const clipped = (options: ClipOptions): LossExpression => minus(clippedObjective(ops, inputs, options).objective);
const nameOf = (term: LossExpression) => nameTerms({ terms: { term } })['term'];

describe('nameTerms', () => {
  it('names each term, however it is written', () => {
    // -A p as -(p A), and as a division.
    const other = ops.div(ops.mul(logprob, advantages), ops.constant(-1));
    const named = nameTerms({
      terms: {
        imitation: minus(logprob),
        gradient: minus(ops.mul(advantages, logprob)),
        other,
        importance: ops.mul(minus(advantages), ratio),
        divergence: klExpression(ops, inputs, 'k3'),
      },
    });
    expect(named).toEqual({
      imitation: { name: 'cross_entropy' },
      gradient: { name: 'policy_gradient' },
      other: { name: 'policy_gradient' },
      importance: { name: 'importance_sampling' },
      divergence: undefined,
    });
  });

  it('finds the bounds of clipped losses', () => {
    expect(nameOf(clipped({ clipLow: 0.2, clipHigh: 0.28 }))).toEqual({ name: 'ppo', low: 0.8, high: 1.28 });
    // GRPO as Tinker's servers write it: the larger of two losses.
    const larger = ops.max(minus(ops.mul(ops.clip(ratio, 0.9, 1.5), advantages)), minus(ops.mul(ratio, advantages)));
    expect(nameOf(larger)).toEqual({ name: 'ppo', low: 0.9, high: 1.5 });
    const weighted = (weight: LossExpression) => minus(ops.mul(ops.stopGradient(weight), ops.mul(advantages, logprob)));
    const cispo = nameOf(weighted(ops.min(ratio, ops.constant(1.28))));
    expect(cispo).toEqual({ name: 'cispo', low: 0, high: expect.closeTo(1.28, 12) as number });
    expect(nameOf(weighted(ops.max(ratio, ops.constant(0.5))))).toEqual({
      name: 'cispo',
      low: expect.closeTo(0.5, 12) as number,
      high: Infinity,
    });
  });

  // Each differs from a loss with a name in one place only.
  it.each([
    ['a second bound for tokens that lose', clipped({ clipLow: 0.2, clipHigh: 0.2, dualClip: 3 })],
    ['a cap of the ratio', clipped({ clipLow: 0.2, clipHigh: 0.2, ratioCap: 100 })],
    [
      'a ratio of sequences',
      clipped({ clipLow: 0.2, clipHigh: 0.2, ratio: ops.exp(ops.sequenceMean(ops.sub(logprob, logprobs))) }),
    ],
    ['a constant', ops.add(clipped({ clipLow: 0.2, clipHigh: 0.2 }), ops.constant(0.05))],
    ['a small factor', ops.mul(ops.constant(1.001), minus(logprob))],
    ['a term of the entropy', ops.sub(minus(logprob), ops.mul(ops.constant(1e-4), entropy))],
    ['no derivative', ops.stopGradient(minus(logprob))],
    ['the other sign', logprob],
    ['a number that is none', ops.log(minus(ops.exp(logprob)))],
  ])('does not name a loss with %s', (_, term) => {
    expect(nameOf(term)).toBeUndefined();
  });
});
