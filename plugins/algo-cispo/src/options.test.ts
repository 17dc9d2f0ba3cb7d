import { optionChecks, optionDefaults } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { options, validate, type Options } from './options.js';

const defaults = optionDefaults(options);

describe('validate', () => {
  const settings = { groupSize: 8, epochs: 2, minibatches: 4, recomputeLogprobs: false, importanceCap: 2 };
  const once = { epochs: 1, minibatches: 1 };
  /** The host drops complaints about idle defaults that were not set. */
  const written = (chosen: Partial<Options>, changed: Partial<typeof settings> = {}): string[] =>
    validate({ ...defaults, ...chosen }, { ...settings, ...changed }, optionChecks)
      .filter(({ idle, path }) => idle !== true || path.join('.') in chosen)
      .map(({ path, setting = path.join('.') }) => setting);

  it('has nothing to say about the defaults', () => {
    expect(written({})).toEqual([]);
    expect(written({}, once)).toEqual([]);
  });

  // Each case goes red when its check is missing.
  it.each<[string, Partial<Options>, Partial<typeof settings>, string[]]>([
    ['a group of one', {}, { groupSize: 1 }, ['groupSize']],
    ['bounds of a ratio', { clipLow: 0.1, clipHigh: 0.3 }, {}, []],
    ['bounds of a ratio that is always 1', { clipLow: 0.1, clipHigh: 0.3 }, once, ['clipLow', 'clipHigh']],
    ['a bound with minibatches', { clipHigh: 4 }, { epochs: 1 }, []],
    ['a bound that no ratio is below', { clipLow: 1 }, {}, ['clipLow']],
    ['an epsilon that nothing is divided with', { scaling: 'none', deviationEpsilon: 1e-4 }, {}, ['deviationEpsilon']],
    ['a discount of whole returns', { turnDiscount: 0.9 }, {}, ['turnDiscount']],
    ['a discount of turns', { turnDiscount: 0.9, level: 'turn' }, {}, []],
    ['refills of nothing', { refillRounds: 2, dropFlatGroups: false }, {}, ['refillRounds']],
    ['refills', { refillRounds: 2 }, {}, []],
    ['no group is flat', { dropFlatGroups: true, klCoefficient: 0.1, klIn: 'reward' }, {}, ['dropFlatGroups']],
    ['an estimator of nothing', { klEstimator: 'k2' }, {}, ['klEstimator']],
    ['a divergence without a derivative', { klCoefficient: 0.1, klEstimator: 'k1' }, {}, ['klEstimator']],
    ['a divergence', { klCoefficient: 0.1 }, {}, []],
    ['no length to divide by', { aggregation: 'constant-length' }, {}, ['aggregation']],
    ['a length and nothing to divide', { constantLength: 64 }, {}, ['constantLength']],
    ['rows that no mean counts', { countEmpty: true }, {}, ['countEmpty']],
    ['rows that a mean counts', { countEmpty: true, aggregation: 'sequence-mean-token-mean' }, {}, []],
  ])('%s', (_title, chosen, changed, expected) => {
    expect(written(chosen, changed)).toEqual(expected);
  });
});
