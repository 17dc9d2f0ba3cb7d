// Needs a compiled command line, as measurements do.
import { describe, expect, it } from 'vitest';

import { createRandom } from '../../src/random/create-random.js';
import type { Random } from '../../src/contracts/random.js';

type Matrix = readonly (readonly number[])[];
interface Options {
  readonly weights?: readonly number[];
  readonly resamples?: number;
}
interface Interval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}
const script = new URL('../../bench/intervals/hierarchical-bootstrap.js', import.meta.url).href;
const { hierarchicalBootstrapDifference, hierarchicalBootstrapInterval } = (await import(script)) as {
  hierarchicalBootstrapInterval: (outcomes: Matrix, random: Random, options?: Options) => Interval;
  hierarchicalBootstrapDifference: (first: Matrix, second: Matrix, random: Random) => Interval;
};

const matrix = (seeds: number, tasks: number, outcome: (seed: number, task: number) => number): number[][] =>
  Array.from({ length: seeds }, (_, seed) => Array.from({ length: tasks }, (__, task) => outcome(seed, task)));

describe('a bootstrap in two stages', () => {
  // Goes red when tasks are drawn once for all seeds, or not at all, or the weights are left out.
  it('agrees with all resamples of two seeds and two clusters of 1 and 3 tasks', () => {
    const outcomes = [
      [0, 1],
      [0.5, 0.25],
    ];
    const weights = [1, 3];
    // A drawn seed has one of four means: both clusters are the first, the second, or either.
    const ofSeed = outcomes.map(([a, b]) => [a!, b!, (a! + 3 * b!) / 4, (a! + 3 * b!) / 4]);
    const means = ofSeed.flatMap((one) => ofSeed.flatMap((two) => one.flatMap((x) => two.map((y) => (x + y) / 2))));
    means.sort((a, b) => a - b);
    const at = (probability: number): number => means[Math.floor(probability * means.length)]!;
    const { mean, low, high } = hierarchicalBootstrapInterval(outcomes, createRandom(1), {
      weights,
      resamples: 20_000,
    });
    expect(mean).toBeCloseTo((0.75 + 0.3125) / 2, 14);
    expect(low).toBeGreaterThanOrEqual(at(0.015));
    expect(low).toBeLessThanOrEqual(at(0.035));
    expect(high).toBeGreaterThanOrEqual(at(0.965));
    expect(high).toBeLessThanOrEqual(at(0.985));
  });

  it('takes the same seeds and tasks of both cells', () => {
    const first = matrix(3, 10, (seed, task) => Math.sin(seed * 5 + task * 3));
    const second = first.map((row) => row.map((value) => value + 0.25));
    const { low, high } = hierarchicalBootstrapDifference(first, second, createRandom(1));
    expect(low).toBeCloseTo(0.25, 12);
    expect(high).toBeCloseTo(0.25, 12);
  });

  it('is a function of outcomes and stream, and claims nothing of one outcome', () => {
    const outcomes = matrix(3, 10, (seed, task) => Math.sin(seed * 5 + task * 3));
    const interval = () => hierarchicalBootstrapInterval(outcomes, createRandom(2).stream('cell'));
    expect(interval()).toEqual(interval());
    expect(hierarchicalBootstrapInterval([[0.5]], createRandom(1)).high).toBe(Infinity);
  });
});
