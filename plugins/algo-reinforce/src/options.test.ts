import { optionChecks, optionDefaults } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { options, validate, type Options } from './options.js';

const settings = { groupSize: 1, epochs: 1, minibatches: 1, recomputeLogprobs: false, importanceCap: 2 };
const several = { epochs: 2, minibatches: 4 };

/** The host drops complaints about idle defaults that were not set. */
const written = (chosen: Partial<Options>, changed: Partial<typeof settings> = {}): string[] =>
  validate({ ...optionDefaults(options), ...chosen }, { ...settings, ...changed }, optionChecks)
    .filter(({ idle, path }) => idle !== true || path.join('.') in chosen)
    .map(({ path }) => path.join('.'));

describe('validate', () => {
  // Goes red when a default contradicts another.
  it('has nothing to say about the defaults, with one step a batch or several', () => {
    expect(written({})).toEqual([]);
    expect(written({}, several)).toEqual([]);
  });

  // Goes red when a condition is reversed or missing.
  it.each<[string, Partial<Options>, Partial<typeof settings>, string[]]>([
    ['a decay of nothing', { movingDecay: 0.5 }, {}, ['movingDecay']],
    ['a decay beside a greedy baseline', { movingDecay: 0.5, baseline: 'greedy' }, {}, ['movingDecay']],
    ['a decay of moving means', { movingDecay: 0.5, baseline: 'moving' }, {}, []],
    [
      'how to normalise, and nothing normalised',
      { deviation: 'sample', varianceEpsilon: 1e-9, noSignalBelow: 0 },
      {},
      ['deviation', 'varianceEpsilon', 'noSignalBelow'],
    ],
    ['how to normalise', { normalize: 'turns', deviation: 'sample', varianceEpsilon: 1e-9 }, {}, []],
    ['two means', { normalize: 'turns', baseline: 'moving' }, {}, ['baseline']],
    ["a task's baseline, normalised", { normalize: 'turns', baseline: 'greedy' }, {}, []],
    [
      'bounds of no ratio',
      { importance: 'none', clipLow: 0.1, clipHigh: 0.3, dualClip: 3 },
      {},
      ['clipLow', 'clipHigh', 'dualClip'],
    ],
    ['bounds of a ratio', { importance: 'clipped', clipLow: 0.1, clipHigh: 0.3, dualClip: 3 }, several, []],
    [
      'a ratio that is always 1',
      { importance: 'clipped', clipLow: 0.1, dualClip: 3 },
      {},
      ['importance', 'clipLow', 'dualClip'],
    ],
    ['no ratio with one step', { importance: 'none' }, {}, []],
    ['no ratio with several steps', { importance: 'none' }, { epochs: 4 }, ['importance']],
    ['no ratio with several minibatches', { importance: 'none' }, { minibatches: 4 }, ['importance']],
    ['no ratio with several steps, on purpose', { importance: 'uncorrected' }, several, []],
    ['a discount beside a greedy baseline', { baseline: 'greedy', turnDiscount: 0.9 }, {}, ['turnDiscount']],
    ['another', { baseline: 'greedy', tokenDiscount: 0.9 }, {}, ['tokenDiscount']],
    ['a discount beside a moving baseline', { baseline: 'moving', turnDiscount: 0.9, tokenDiscount: 0.9 }, {}, []],
    ['an estimator of nothing', { klEstimator: 'k2', klIn: 'loss' }, {}, ['klIn', 'klEstimator']],
    ['k1 in the loss', { klCoefficient: 0.1, klIn: 'loss' }, {}, ['klEstimator']],
    ['k1 in the reward', { klCoefficient: 0.1 }, {}, []],
    ['no length to divide by', { aggregation: 'constant-length' }, {}, ['aggregation']],
    ['a length and nothing to divide', { constantLength: 64 }, {}, ['constantLength']],
    ['empty episodes in a mean over tokens', { aggregation: 'token-mean', countEmpty: true }, {}, ['countEmpty']],
    ['empty episodes in a mean over episodes', { countEmpty: true }, {}, []],
  ])('%s', (_title, chosen, changed, expected) => {
    expect(written(chosen, changed)).toEqual(expected);
  });
});
