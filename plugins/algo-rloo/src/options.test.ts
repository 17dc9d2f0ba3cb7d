import { optionChecks, optionDefaults } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { options, validate, type Options } from './options.js';

const defaults = optionDefaults(options);

describe('validate', () => {
  const settings = { groupSize: 8, epochs: 1, minibatches: 1, recomputeLogprobs: false, importanceCap: 2 };
  const several = { epochs: 2, minibatches: 4 };
  /** The host drops complaints about idle defaults that were not set. */
  const written = (chosen: Partial<Options>, changed: Partial<typeof settings> = {}): string[] =>
    validate({ ...defaults, ...chosen }, { ...settings, ...changed }, optionChecks)
      .filter(({ idle, path }) => idle !== true || path.join('.') in chosen)
      .map(({ path, setting = path.join('.') }) => setting);

  it('has nothing to say about the defaults', () => {
    expect(written({})).toEqual([]);
    expect(written({}, several)).toEqual([]);
  });

  // Goes red when off-policy steps cause no complaint.
  it('refuses several steps on a batch that nothing corrects, unless that is asked for', () => {
    expect(written({ importance: 'none' }, { minibatches: 4 })).toEqual(['importance']);
    expect(written({ importance: 'none' }, { epochs: 2 })).toEqual(['importance']);
    expect(written({ importance: 'none' })).toEqual([]);
    expect(written({ importance: 'uncorrected' }, several)).toEqual([]);
    expect(written({ importance: 'uncorrected', clipHigh: 0.3 }, several)).toEqual(['clipHigh']);
  });

  // Each case goes red when its check is missing.
  it.each<[string, Partial<Options>, Partial<typeof settings>, string[]]>([
    ['a group of one', {}, { groupSize: 1 }, ['groupSize']],
    [
      'bounds of no ratio',
      { importance: 'none', clipLow: 0.1, clipHigh: 0.3, dualClip: 3 },
      {},
      ['clipLow', 'clipHigh', 'dualClip'],
    ],
    ['bounds of a ratio', { importance: 'clipped', clipLow: 0.1, clipHigh: 0.3, dualClip: 3 }, several, []],
    ['a ratio that is always 1', { importance: 'clipped', clipLow: 0.1 }, {}, ['importance', 'clipLow']],
    ['a ratio with minibatches', { importance: 'clipped' }, { minibatches: 4 }, []],
    ['a discount of whole returns', { turnDiscount: 0.9 }, {}, ['turnDiscount']],
    ['a discount of turns', { turnDiscount: 0.9, level: 'turn' }, {}, []],
    ['refills of nothing', { refillRounds: 2 }, {}, ['refillRounds']],
    ['refills', { refillRounds: 2, dropFlatGroups: true }, {}, []],
    ['no group is flat', { dropFlatGroups: true, klCoefficient: 0.1 }, {}, ['dropFlatGroups']],
    ['an estimator of nothing', { klEstimator: 'k2' }, {}, ['klEstimator']],
    ['a divergence without a derivative', { klCoefficient: 0.1, klIn: 'loss' }, {}, ['klEstimator']],
    ['a divergence', { klCoefficient: 0.1, klIn: 'loss', klEstimator: 'k3' }, {}, []],
    ['no length to divide by', { aggregation: 'constant-length' }, {}, ['aggregation']],
    ['a length and nothing to divide', { constantLength: 64 }, {}, ['constantLength']],
    ['rows that no mean counts', { countEmpty: true, aggregation: 'token-mean' }, {}, ['countEmpty']],
    ['rows that a mean counts', { countEmpty: true }, {}, []],
  ])('%s', (_title, chosen, changed, expected) => {
    expect(written(chosen, changed)).toEqual(expected);
  });
});
