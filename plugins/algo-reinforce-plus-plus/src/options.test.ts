import { optionChecks, optionDefaults } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { options, validate, type Options } from './options.js';

const settings = { groupSize: 8, epochs: 2, minibatches: 4, recomputeLogprobs: false, importanceCap: 2 };
const once = { epochs: 1, minibatches: 1 };

/** The host drops complaints about idle defaults that were not set. */
const written = (chosen: Partial<Options>, changed: Partial<typeof settings> = {}): string[] =>
  validate({ ...optionDefaults(options), ...chosen }, { ...settings, ...changed }, optionChecks)
    .filter(({ idle, path }) => idle !== true || path.join('.') in chosen)
    .map(({ path, setting = path.join('.') }) => setting);

describe('validate', () => {
  // Goes red when a default contradicts another, or when groups are required although none is compared.
  it('has nothing to say about the defaults, whatever the update', () => {
    for (const changed of [{}, once, { groupSize: 1 }]) expect(written({}, changed)).toEqual([]);
  });

  // Goes red when a condition is reversed or missing.
  it.each<[string, Partial<Options>, Partial<typeof settings>, string[]]>([
    ['a group of one with a group mean', { baseline: 'group' }, { groupSize: 1 }, ['groupSize']],
    ['a group with a group mean', { baseline: 'group' }, {}, []],
    [
      'discounts of whole returns',
      { baseline: 'group', turnDiscount: 0.9, tokenDiscount: 0.9 },
      {},
      ['turnDiscount', 'tokenDiscount'],
    ],
    ['discounts', { turnDiscount: 0.9, tokenDiscount: 0.9 }, {}, []],
    ['a clip on the policy that sampled', { clipLow: 0.1, dualClip: 3 }, once, ['clipLow', 'dualClip']],
    ['a clip with minibatches', { clipLow: 0.1 }, { epochs: 1 }, []],
    ['an estimator of nothing', { klEstimator: 'k2', klIn: 'loss' }, {}, ['klIn', 'klEstimator']],
    ['k1 in the loss', { klCoefficient: 0.1, klIn: 'loss' }, {}, ['klEstimator']],
    ['k1 in the reward', { klCoefficient: 0.1 }, {}, []],
    ['no length to divide by', { aggregation: 'constant-length' }, {}, ['aggregation']],
    ['a length and nothing to divide', { constantLength: 64 }, {}, ['constantLength']],
    ['empty episodes in a mean over tokens', { countEmpty: true }, {}, ['countEmpty']],
  ])('%s', (_title, chosen, changed, expected) => {
    expect(written(chosen, changed)).toEqual(expected);
  });
});
