import { describe, expect, it } from 'vitest';

import { foreignAlgorithm, foreignKeyHint } from './foreign-names.js';

describe('names of other trainers', () => {
  it('are known by their last words, however they are written', () => {
    expect(foreignKeyHint(['num_generations'])).toBe(
      '`num_generations` is what TRL calls it; here it is `algorithm.groupSize`.',
    );
    expect(foreignKeyHint(['algorithm', 'lr'])).toBe(
      '`lr` is what other trainers call it; here it is `stages.NAME.optimizer.learningRate`.',
    );
    expect(foreignKeyHint(['actor_rollout_ref', 'rollout', 'n'])).toContain(
      'verl calls it; here it is `algorithm.groupSize`',
    );
    expect(foreignKeyHint(['horizon', 'maxTurns'])).toContain('`horizon.turns`');
    expect(foreignKeyHint(['kl_loss_coef'])).toContain('`algorithm.options.klCoefficient`, with `klIn: loss`');
    expect(foreignKeyHint(['constructor'])).toBeUndefined();
    expect(foreignKeyHint(['n'])).toBeUndefined();
  });

  it('are known of algorithms', () => {
    expect(foreignAlgorithm('REINFORCE++')).toBe('`reinforce-plus-plus`');
    expect(foreignAlgorithm('Dr_GRPO')).toBe('`dr-grpo`');
    expect(foreignAlgorithm('gigpo')).toBeUndefined();
  });
});
