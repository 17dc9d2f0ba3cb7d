// Numbers of SciPy 1.17.1 and statsmodels 0.15.0; each test gives its command.
import { describe, expect, it } from 'vitest';

import { createRandom } from '../random/create-random.js';
import { clusterBootstrapInterval } from './cluster-bootstrap.js';
import { meanInterval } from './mean-interval.js';
import { passAtK } from './pass-at-k.js';
import { studentT95 } from './student-t.js';
import { pairedTInterval, tInterval } from './t-interval.js';
import { wilsonInterval } from './wilson-interval.js';

const values = [1.2, 3.4, 2.2, 5.9, -0.3];

describe('wilsonInterval', () => {
  // statsmodels.stats.proportion.proportion_confint(c, n, 0.05, method='wilson')
  it.each([
    [0, 10, 0, 0.27753279986288926],
    [10, 10, 0.7224672001371106, 1],
    [617, 1000, 0.5864772698839885, 0.6466272686303917],
    [3, 7, 0.15821985525146964, 0.7495416354723428],
    [1, 1, 0.2065493143772374, 1],
  ])('%i of %i', (successes, trials, low, high) => {
    const interval = wilsonInterval(successes, trials);
    expect(interval.low).toBeCloseTo(low, 14);
    expect(interval.high).toBeCloseTo(high, 14);
  });

  it('is exactly 0 or 1 at the ends, everything without trials, and refuses nonsense', () => {
    expect([wilsonInterval(0, 37).low, wilsonInterval(37, 37).high]).toEqual([0, 1]);
    expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
    expect(() => wilsonInterval(3, 2)).toThrow(RangeError);
  });
});

describe('t intervals', () => {
  // scipy.stats.t.ppf(0.975, d)
  it.each([
    [1, 12.706204736174694],
    [2, 4.302652729749462],
    [3, 3.1824463052837078],
    [4, 2.7764451051977934],
    [9, 2.262157162798205],
    [30, 2.0422724563012378],
    [199, 1.9719565442517533],
    [100_000, 1.9599877075346095],
  ])('Student t with %i degrees of freedom', (degrees, t) => {
    expect(studentT95(degrees)).toBeCloseTo(t, 9);
  });

  it('of a mean', () => {
    // scipy.stats.ttest_1samp(values, 0).confidence_interval(0.95)
    const { mean, low, high } = tInterval(values);
    expect(mean).toBeCloseTo(2.48, 12);
    expect(low).toBeCloseTo(-0.4311659135028978, 10);
    expect(high).toBeCloseTo(5.391165913502897, 10);
  });

  it('of paired differences, second minus first', () => {
    // scipy.stats.ttest_rel([2, 3, 4.1, 6.5, 1], values).confidence_interval(0.95)
    const { mean, low, high } = pairedTInterval(values, [2, 3, 4.1, 6.5, 1]);
    expect(mean).toBeCloseTo(0.84, 12);
    expect(low).toBeCloseTo(-0.2230558367701656, 10);
    expect(high).toBeCloseTo(1.9030558367701653, 10);
    expect(() => pairedTInterval(values, [1])).toThrow(RangeError);
  });

  it('claims nothing from one value, and no mean from none', () => {
    expect(tInterval([3])).toEqual({ mean: 3, low: -Infinity, high: Infinity });
    expect(tInterval([]).mean).toBeNaN();
  });
});

describe('clusterBootstrapInterval', () => {
  it('is the percentile interval of SciPy where every value is its own cluster', () => {
    // scipy.stats.bootstrap((v,), np.mean, method='percentile', n_resamples=400000, random_state=1): 1.291, 3.311
    const v = [0.31, 2.5, 1.7, 0.2, 4.4, 3.6, 2.8, 1.1, 0.9, 5.2];
    const { mean, low, high } = clusterBootstrapInterval(v, [...'abcdefghij'], createRandom(3), 50_000);
    expect(mean).toBeCloseTo(2.271, 12);
    expect(low).toBeCloseTo(1.291, 1);
    expect(high).toBeCloseTo(3.311, 1);
  });

  // Goes red when values are resampled instead of clusters.
  it('agrees with all 4^4 resamples of four clusters of different sizes', () => {
    const clusters = ['a', 'a', 'a', 'b', 'c', 'c', 'd'];
    const v = [1, 1, 0, 0, 1, 1, 0.5];
    const totals = [
      [2, 3],
      [0, 1],
      [2, 2],
      [0.5, 1],
    ];
    const means: number[] = [];
    for (let code = 0; code < 256; code += 1) {
      const drawn = [0, 2, 4, 6].map((shift) => totals[(code >> shift) & 3]!);
      means.push(drawn.reduce((sum, [s]) => sum + s!, 0) / drawn.reduce((sum, [, n]) => sum + n!, 0));
    }
    means.sort((a, b) => a - b);
    const { low, high } = clusterBootstrapInterval(v, clusters, createRandom(1), 50_000);
    // The exact distribution has steps. The quantile lies on its step or on a neighbour.
    expect(low).toBeGreaterThanOrEqual(means[5]!);
    expect(low).toBeLessThanOrEqual(means[8]!);
    expect(high).toBeGreaterThanOrEqual(means[247]!);
    expect(high).toBeLessThanOrEqual(means[251]!);
  });

  it('is a function of values and stream, and claims nothing from one cluster', () => {
    const clusters = ['a', 'a', 'b', 'c', 'c'];
    const interval = () => clusterBootstrapInterval(values, clusters, createRandom(2).stream('success'));
    expect(interval()).toEqual(interval());
    expect(clusterBootstrapInterval(values, ['a', 'a', 'a', 'a', 'a'], createRandom(2)).high).toBe(Infinity);
    expect(() => clusterBootstrapInterval(values, ['a'], createRandom(2))).toThrow(RangeError);
  });
});

describe('meanInterval', () => {
  it('is by t for independent values and by clusters where some are shared', () => {
    const random = createRandom(5);
    expect(meanInterval(values, random)).toEqual({ ...tInterval(values), method: 't' });
    expect(meanInterval(values, random, [...'abcde']).method).toBe('t');
    expect(meanInterval(values, random, [...'aabbc'])).toEqual({
      ...clusterBootstrapInterval(values, [...'aabbc'], createRandom(5)),
      method: 'cluster-bootstrap',
    });
  });
});

describe('passAtK', () => {
  // 1 - scipy.special.comb(n - c, k, exact=True) / scipy.special.comb(n, k, exact=True)
  it.each([
    [10, 3, 1, 0.3],
    [10, 3, 5, 0.9166666666666666],
    [10, 8, 5, 1],
    [200, 17, 100, 0.99999636769084],
    [4, 0, 4, 0],
  ])('%i attempts, %i successes, k = %i', (attempts, successes, k, expected) => {
    expect(passAtK(attempts, successes, k)).toBeCloseTo(expected, 13);
  });

  it('refuses more attempts than there were', () => {
    expect(() => passAtK(4, 1, 5)).toThrow(RangeError);
  });
});
