import { describe, expect, it } from 'vitest';

import type { PolicyCapabilities } from '../contracts/policy.js';
import { TabularPolicy } from '../testing/tabular-policy.js';
import { reinforce } from '../training/fixtures/reinforce.js';
import { checkPolicy } from './check-parts.js';

describe('checkPolicy', () => {
  const { capabilities } = new TabularPolicy({ texts: ['yes no'] });
  const rounded: PolicyCapabilities = { ...capabilities, sampler: { ...capabilities.sampler, exact: false } };
  const pairs = reinforce({
    loss: (ops, { logprob }) => ({
      terms: { pairs: ops.logsigmoid(ops.pairDifference(ops.sequenceSum(logprob))) },
    }),
  });

  it('wants a correction where the sampler is another policy, except for losses over pairs', () => {
    expect(() => checkPolicy(reinforce(), capabilities, 'table', false)).not.toThrow();
    expect(() => checkPolicy(reinforce(), rounded, 'table', false)).toThrow(
      'does not promise equal log probabilities in sampling and training',
    );
    expect(() => checkPolicy(reinforce(), rounded, 'table', true)).not.toThrow();
    expect(() => checkPolicy(pairs, rounded, 'table', false)).not.toThrow();
  });
});
