// Numbers of SciPy, statsmodels and rliable: fixtures/recorded.json, each with its call; fixtures/record.py makes them.
import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { createRandom } from '../random/create-random.js';
import { clopperPearsonInterval } from './clopper-pearson-interval.js';
import { crossedEstimate } from './crossed-estimate.js';
import { crossedDifference } from './crossed-difference.js';
import { crossedInterval } from './crossed-interval.js';
import { detectableEffect } from './detectable-effect.js';
import { holmAdjust } from './holm.js';
import { betaQuantile } from './incomplete-beta.js';
import { interquartileMean, interquartileMeanInterval } from './interquartile-mean.js';
import { noncentralTBelow } from './noncentral-t.js';
import { normalBelow } from './normal-distribution.js';
import { signFlipTest } from './permutation-test.js';
import { probabilityOfImprovement, probabilityOfImprovementInterval } from './probability-of-improvement.js';
import { studentTOutside } from './student-t.js';

type Limits = [number, number];
interface Recorded {
  clopperPearson: { call: string; successes: number; trials: number; interval: Limits }[];
  betaQuantile: { call: string; a: number; b: number; p: number; x: number }[];
  studentTOutside: { call: string; t: number; degrees: number; p: number }[];
  normalBelow: { call: string; x: number; p: number }[];
  noncentralTBelow: { call: string; t: number; degrees: number; shift: number; p: number }[];
  holm: { p: number[]; adjusted: number[] };
  signFlip: { differences: number[]; p: number }[];
  signFlipLong: { differences: number[]; p: number };
  interquartileMean: { scores: number[][]; mean: number; interval: Limits };
  probabilityOfImprovement: { first: number[][]; second: number[][]; probability: number; interval: Limits };
  crossed: {
    name: string;
    weights: number[];
    outcomes: number[][];
    components: [number, number, number];
    anova?: [number, number, number];
    mean: number;
    variance: number;
    degrees: number;
    interval: Limits;
    p: number;
  }[];
  pairedPower: { call: string; seeds: number; power: number; effect: number }[];
}
const recorded = JSON.parse(readFileSync(new URL('fixtures/recorded.json', import.meta.url), 'utf8')) as Recorded;

describe('distributions', () => {
  it.each(recorded.betaQuantile)('$call', ({ a, b, p, x }) => {
    expect(betaQuantile(p, a, b)).toBeCloseTo(x, 11);
  });

  it.each(recorded.studentTOutside)('$call', ({ t, degrees, p }) => {
    expect(studentTOutside(t, degrees)).toBeCloseTo(p, 11);
  });

  it.each(recorded.normalBelow)('$call', ({ x, p }) => {
    expect(normalBelow(x)).toBeCloseTo(p, 14);
  });

  it.each(recorded.noncentralTBelow)('$call', ({ t, degrees, shift, p }) => {
    expect(noncentralTBelow(t, degrees, shift)).toBeCloseTo(p, 9);
  });
});

describe('clopperPearsonInterval', () => {
  it.each(recorded.clopperPearson)('$call', ({ successes, trials, interval: [low, high] }) => {
    const ours = clopperPearsonInterval(successes, trials);
    expect(Math.abs(ours.low - low)).toBeLessThan(1e-9);
    expect(Math.abs(ours.high - high)).toBeLessThan(1e-9);
  });

  it('is everything without trials, and refuses nonsense', () => {
    expect(clopperPearsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
    expect(() => clopperPearsonInterval(3, 2)).toThrow(RangeError);
    expect(() => clopperPearsonInterval(0.5, 2)).toThrow(RangeError);
  });
});

describe('holmAdjust', () => {
  // Goes red when a later p may fall below an earlier one, or an adjusted one rise above 1.
  it('is multipletests of statsmodels', () => {
    for (const [index, p] of holmAdjust(recorded.holm.p).entries()) {
      expect(p).toBeCloseTo(recorded.holm.adjusted[index]!, 14);
    }
    expect(holmAdjust([])).toEqual([]);
    expect(() => holmAdjust([0.1, NaN])).toThrow(RangeError);
  });
});

describe('signFlipTest', () => {
  // Goes red when sums equal on paper are compared without tolerance (0.1 + 0.2 + 0.05 against its negation).
  it.each(recorded.signFlip)('is exact for $differences', ({ differences, p }) => {
    const test = signFlipTest(differences, createRandom(1));
    expect(test.exact).toBe(true);
    expect(test.p).toBeCloseTo(p, 14);
  });

  it('says that 3 seeds find nothing below 0.25', () => {
    expect(signFlipTest([5, 5, 5], createRandom(1))).toEqual({ p: 0.25, smallest: 0.25, exact: true });
    expect(signFlipTest([1], createRandom(1)).smallest).toBe(1);
    expect(() => signFlipTest([], createRandom(1))).toThrow(RangeError);
  });

  it('draws signs where there are too many, within three standard errors of all of them, and never says 0', () => {
    const { differences, p } = recorded.signFlipLong;
    const test = signFlipTest(differences, createRandom(2), 20_000);
    expect(test.exact).toBe(false);
    expect(Math.abs(test.p - p)).toBeLessThan(3 * Math.sqrt((p * (1 - p)) / 20_000));
    expect(signFlipTest(differences, createRandom(2), 20_000)).toEqual(test);
    const sure = signFlipTest(
      differences.map(() => 1),
      createRandom(2),
      500,
    );
    expect(sure.p).toBe(sure.smallest);
    expect(sure.smallest).toBeCloseTo(1 / 501, 15);
  });
});

describe('interquartileMean', () => {
  const { scores, mean, interval } = recorded.interquartileMean;
  // Goes red when the trimmed mean is taken per task.
  it("is rliable's", () => {
    expect(interquartileMean(scores)).toBeCloseTo(mean, 14);
  });

  // Goes red when whole runs are resampled instead of each task's.
  it("has rliable's interval, but for what resampling leaves to chance", () => {
    const ours = interquartileMeanInterval(scores, createRandom(1), 20_000);
    expect(Math.abs(ours.low - interval[0])).toBeLessThan(0.004);
    expect(Math.abs(ours.high - interval[1])).toBeLessThan(0.004);
    expect(interquartileMeanInterval([scores[0]!], createRandom(1)).low).toBe(-Infinity);
  });
});

describe('probabilityOfImprovement', () => {
  const { first, second, probability, interval } = recorded.probabilityOfImprovement;
  it("is rliable's, for unequal numbers of runs", () => {
    expect(probabilityOfImprovement(first, second)).toBeCloseTo(probability, 14);
    expect(probabilityOfImprovement(second, first)).toBeCloseTo(1 - probability, 14);
  });

  it("has rliable's interval, but for what resampling leaves to chance", () => {
    const ours = probabilityOfImprovementInterval(first, second, createRandom(1), 20_000);
    expect(Math.abs(ours.low - interval[0])).toBeLessThan(0.01);
    expect(Math.abs(ours.high - interval[1])).toBeLessThan(0.01);
  });

  it('counts ties half, claims nothing of one run, and refuses other tasks', () => {
    expect(probabilityOfImprovement([[1], [1]], [[1], [2]])).toBe(0.75);
    expect(probabilityOfImprovementInterval([[1, 2]], [[3, 4]], createRandom(1))).toEqual({
      probability: 1,
      low: 0,
      high: 1,
    });
    expect(() => probabilityOfImprovementInterval([[1, 2]], [[1]], createRandom(1))).toThrow(RangeError);
  });
});

describe('crossedEstimate', () => {
  it.each(recorded.crossed)('of $name', ({ outcomes, weights, components, anova, ...expected }) => {
    const estimate = crossedEstimate(outcomes, weights);
    for (const [index, name] of (['seed', 'task', 'rest'] as const).entries()) {
      expect(estimate.components[name]).toBeCloseTo(Math.max(0, components[index]!), 10);
      if (anova) expect(estimate.components[name]).toBeCloseTo(Math.max(0, anova[index]!), 10);
    }
    expect(estimate.mean).toBeCloseTo(expected.mean, 12);
    expect(estimate.variance).toBeCloseTo(expected.variance, 10);
    expect(estimate.degrees).toBeCloseTo(expected.degrees, 8);
    const { low, high } = crossedInterval(outcomes, { weights });
    expect(low).toBeCloseTo(expected.interval[0], 8);
    expect(high).toBeCloseTo(expected.interval[1], 8);
    const nothing = outcomes.map((row) => row.map(() => 0));
    expect(crossedDifference(nothing, outcomes, { weights }).p).toBeCloseTo(expected.p, 10);
  });
});

describe('detectableEffect', () => {
  // Tasks without an effect of their own: the paired t test over seeds. The difference of a seed has variance seed +
  // rest / tasks.
  it.each(recorded.pairedPower)('$call', ({ seeds, power, effect }) => {
    const [tasks, seed, rest] = [50, 0.004, 0.3];
    const detectable = detectableEffect({ seeds, tasks, components: { seed, task: 0, rest } }, power);
    expect(detectable / Math.sqrt(seed + rest / tasks)).toBeCloseTo(effect, 5);
  });
});
