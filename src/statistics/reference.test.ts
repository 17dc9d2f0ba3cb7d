// Compares with numbers of SciPy and statsmodels. fixtures/recorded.json has each with its call; fixtures/record.py
// writes it.
import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { crossedEstimate } from './crossed-estimate.js';
import { crossedDifference } from './crossed-difference.js';
import { crossedInterval } from './crossed-interval.js';
import { detectableEffect } from './detectable-effect.js';
import { holmAdjust } from './holm.js';
import { noncentralTBelow } from './noncentral-t.js';
import { normalBelow } from './normal-distribution.js';
import { studentTOutside } from './student-t.js';

type Limits = [number, number];
interface Recorded {
  studentTOutside: { call: string; t: number; degrees: number; p: number }[];
  normalBelow: { call: string; x: number; p: number }[];
  noncentralTBelow: { call: string; t: number; degrees: number; shift: number; p: number }[];
  holm: { p: number[]; adjusted: number[] };
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
  // If tasks have no separate effect, this is the paired t test over seeds. The difference of a seed has variance seed
  // + rest / tasks.
  it.each(recorded.pairedPower)('$call', ({ seeds, power, effect }) => {
    const [tasks, seed, rest] = [50, 0.004, 0.3];
    const detectable = detectableEffect({ seeds, tasks, components: { seed, task: 0, rest } }, power);
    expect(detectable / Math.sqrt(seed + rest / tasks)).toBeCloseTo(effect, 5);
  });
});
