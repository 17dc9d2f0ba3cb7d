import { describe, expect, it } from 'vitest';

import { tinyRecipe } from '../config/fixtures/tiny-recipe.js';
import { planRun } from '../config/run-plan.js';
import type { PolicyCapabilities } from '../contracts/policy.js';
import { TabularPolicy } from '../testing/tabular-policy.js';
import { reinforce } from '../training/fixtures/reinforce.js';
import { checkPolicy, checkStageNeeds } from './check-parts.js';

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

  it('wants losses with a name from a policy that computes no others', () => {
    const knows = (...losses: NonNullable<PolicyCapabilities['losses']>) => ({ ...capabilities, losses });
    const withEntropy = reinforce({
      loss: (ops, { advantages, entropy, logprob }) => ({
        terms: { policy: ops.mul(ops.mul(ops.constant(-1), advantages), logprob), entropy },
      }),
    });
    expect(() => checkPolicy(reinforce(), knows('ppo', 'importance_sampling'), 'table', false)).not.toThrow();
    expect(() => checkPolicy(reinforce(), knows('ppo'), 'table', false)).toThrow(
      'The policy `table` cannot compute the term `policy` of a loss: it is the loss `importance_sampling`.',
    );
    expect(() => checkPolicy(withEntropy, knows('policy_gradient'), 'table', false)).toThrow(
      'cannot compute the term `entropy` of a loss: it is no loss that has a name.',
    );
  });
});

describe('checkStageNeeds', () => {
  it('wants the only temperature at which a policy trains, if a stage samples', () => {
    const { capabilities } = new TabularPolicy({ texts: ['yes no'] });
    const plan = (kind: 'rl' | 'sft', temperature: number) => {
      const stages = { only: { kind, steps: 1, ...(kind === 'sft' && { demonstrations: { count: 1 } }) } };
      const policy = { name: 'table', preset: 'nano', sampling: { temperature } };
      return planRun(tinyRecipe({ policy, stages }));
    };
    const one = { ...capabilities, temperature: 1 };
    expect(() => checkStageNeeds(plan('rl', 0.7), one, 'table')).toThrow(
      'The policy `table` trains only on episodes that are sampled at temperature 1, not 0.7.',
    );
    expect(() => checkStageNeeds(plan('rl', 0.7), capabilities, 'table')).not.toThrow();
    expect(() => checkStageNeeds(plan('rl', 1), one, 'table')).not.toThrow();
    expect(() => checkStageNeeds(plan('sft', 0.7), one, 'table')).not.toThrow();
  });

  it('wants no clipping of a policy that cannot clip', () => {
    const { capabilities } = new TabularPolicy({ texts: ['yes no'] });
    const plan = (clipNorm: number) => {
      const stages = { only: { kind: 'rl' as const, steps: 1, optimizer: { clipNorm } } };
      return planRun(tinyRecipe({ policy: { name: 'table', preset: 'nano' }, stages }));
    };
    const unable = { ...capabilities, clipsGradients: false };
    expect(() => checkStageNeeds(plan(1), unable, 'table')).toThrow(
      'The stage `only` clips gradients to 1, and the policy `table` cannot clip them.',
    );
    expect(() => checkStageNeeds(plan(0), unable, 'table')).not.toThrow();
    expect(() => checkStageNeeds(plan(1), capabilities, 'table')).not.toThrow();
  });
});
