import { optionChecks, optionDefaults } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { options, validate, type Options } from './options.js';

const defaults = optionDefaults(options);
const settings = { groupSize: 1, epochs: 2, minibatches: 4, recomputeLogprobs: false, importanceCap: 2 };

/** The host drops complaints about idle defaults that were not set. */
function findings(chosen: Partial<Options>, changed: Partial<typeof settings> = {}) {
  return validate({ ...defaults, ...chosen }, { ...settings, ...changed }, optionChecks).filter(
    ({ idle, path }) => idle !== true || path.join('.') in chosen,
  );
}

describe('validate', () => {
  it('has nothing to say about the defaults, nor about a group of one', () => {
    expect(findings({})).toEqual([]);
    expect(findings({}, { epochs: 1, minibatches: 1, groupSize: 8 })).toEqual([]);
  });

  const once = { epochs: 1, minibatches: 1 };
  // Each row goes red when its check is missing.
  it.each<[string, Partial<Options>, Partial<typeof settings>, string[]]>([
    [
      'clips of what has not moved yet',
      { clipLow: 0.1, clipHigh: 0.3, dualClip: 3, valueClip: 0.2 },
      once,
      ['clipLow', 'clipHigh', 'dualClip', 'valueClip'],
    ],
    ['clips with minibatches', { clipLow: 0.1, valueClip: 0.2 }, { epochs: 1 }, []],
    ['clips with epochs', { clipLow: 0.1, valueClip: 0.2 }, { minibatches: 1 }, []],
    ['a rate for no optimizer', { critic: 'shared', criticLearningRate: 1e-5 }, {}, ['criticLearningRate']],
    ['a rate of its own', { criticLearningRate: 1e-5 }, {}, []],
    ['a weight beside nothing', { valueCoefficient: 0.1 }, {}, ['valueCoefficient']],
    ['a weight of 0, which is always legal', { valueCoefficient: 0 }, {}, []],
    ['a weight beside the policy', { critic: 'shared', valueCoefficient: 0.1 }, {}, []],
    ['a clip of a loss without weight', { critic: 'shared', valueCoefficient: 0, valueClip: 0.2 }, {}, ['valueClip']],
    ['a warm-up of either critic', { criticWarmup: 3 }, {}, []],
    ['a warm-up of a shared trunk', { critic: 'shared', criticWarmup: 3 }, {}, []],
    [
      'numbers of a whitening that is not done',
      { whiten: false, varianceEpsilon: 1e-6, noSignalBelow: 1e-6 },
      {},
      ['varianceEpsilon', 'noSignalBelow'],
    ],
    ['a discount of tokens between turns', { level: 'turn', tokenDiscount: 0.99, turnDiscount: 0.9 }, {}, []],
    ['an estimator of nothing', { klEstimator: 'k2' }, {}, ['klEstimator']],
    ['a place for nothing', { klIn: 'loss' }, {}, ['klIn']],
    ['a divergence in the reward', { klCoefficient: 0.01, klIn: 'reward', klEstimator: 'k1' }, {}, []],
    ['k1 in the loss', { klCoefficient: 0.01, klIn: 'loss' }, {}, ['klEstimator']],
    ['k2 in the loss', { klCoefficient: 0.01, klIn: 'loss', klEstimator: 'k2' }, {}, []],
    ['a horizon without a target', { klCoefficient: 0.01, klHorizon: 100 }, {}, ['klHorizon']],
    ['no length to divide by', { aggregation: 'constant-length' }, {}, ['aggregation']],
    ['a length and nothing to divide', { constantLength: 64 }, {}, ['constantLength']],
    ['empty episodes in a mean over tokens', { countEmpty: true }, {}, ['countEmpty']],
    ['empty episodes in a mean over episodes', { countEmpty: true, aggregation: 'sequence-mean-token-sum' }, {}, []],
  ])('%s', (_title, chosen, changed, expected) => {
    expect(findings(chosen, changed).map(({ path }) => path.join('.'))).toEqual(expected);
  });

  it('names both settings and the cure', () => {
    const [finding] = findings({ critic: 'shared', criticLearningRate: 1e-5 });
    expect(finding?.message).toMatch(/^criticLearningRate has no effect with critic: shared/);
    expect(finding?.hint).toBe('Remove criticLearningRate, or set critic: own.');
  });
});
