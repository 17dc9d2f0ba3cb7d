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
    expect(written({ anchorWeight: 0 })).toEqual([]);
  });

  // Each case goes red when its check is missing.
  it.each<[string, Partial<Options>, Partial<typeof settings>, string[]]>([
    ['a group of one', {}, { groupSize: 1 }, ['groupSize']],
    ['a discount of turns', { turnDiscount: 0.9 }, {}, []],
    ['a discount of turns that are not compared', { turnDiscount: 0.9, anchorWeight: 0 }, {}, ['turnDiscount']],
    ['bounds of a ratio that is always 1', { clipLow: 0.1, dualClip: 3 }, once, ['clipLow', 'dualClip']],
    ['an epsilon that nothing is divided with', { scaling: 'none', deviationEpsilon: 1e-4 }, {}, ['deviationEpsilon']],
    ['refills of nothing', { refillRounds: 2, dropFlatGroups: false }, {}, ['refillRounds']],
    ['an estimator of nothing', { klEstimator: 'k2' }, {}, ['klEstimator']],
    ['a length and nothing to divide', { constantLength: 64 }, {}, ['constantLength']],
  ])('%s', (_title, chosen, changed, expected) => {
    expect(written(chosen, changed)).toEqual(expected);
  });
});
