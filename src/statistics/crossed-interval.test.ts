import { describe, expect, it } from 'vitest';

import { createRandom } from '../random/create-random.js';
import { crossedDifference } from './crossed-difference.js';
import { crossedEstimate } from './crossed-estimate.js';
import { crossedInterval } from './crossed-interval.js';
import { detectableEffect, describeDetectableEffect } from './detectable-effect.js';
import { pairedTInterval, tInterval } from './t-interval.js';
import { studentT95 } from './student-t.js';

const matrix = (seeds: number, tasks: number, outcome: (seed: number, task: number) => number): number[][] =>
  Array.from({ length: seeds }, (_, seed) => Array.from({ length: tasks }, (__, task) => outcome(seed, task)));
const share = { bounds: [0, 1] } as const;

describe('crossedInterval', () => {
  it('is the t interval over tasks with one seed, and over seeds with one task, and says so', () => {
    const values = [0.2, 0.9, 0.4, 0.1, 0.8];
    const { mean, low, high } = tInterval(values);
    const overTasks = crossedInterval([values]);
    expect(overTasks.method).toBe('tasks');
    expect(overTasks.mean).toBeCloseTo(mean, 14);
    expect(overTasks.low).toBeCloseTo(low, 12);
    expect(overTasks.high).toBeCloseTo(high, 12);
    const overSeeds = crossedInterval(values.map((value) => [value]));
    expect(overSeeds.method).toBe('seeds');
    expect(overSeeds.low).toBeCloseTo(low, 12);
    expect(overSeeds.high).toBeCloseTo(high, 12);
  });

  it("is the same for seeds and tasks in each other's place", () => {
    const outcomes = matrix(3, 8, (seed, task) => Math.sin(1 + 3 * seed + 7 * task) + seed / 4);
    const turned = matrix(8, 3, (task, seed) => outcomes[seed]![task]!);
    const [one, other] = [crossedInterval(outcomes), crossedInterval(turned)];
    expect(other.low).toBeCloseTo(one.low, 12);
    expect(other.high).toBeCloseTo(one.high, 12);
  });

  it('does not care in what units tasks are weighted', () => {
    const outcomes = matrix(3, 6, (seed, task) => Math.sin(1 + 3 * seed + 7 * task));
    const weights = [1, 5, 2, 2, 3, 1];
    const once = crossedInterval(outcomes, { weights });
    const thrice = crossedInterval(outcomes, { weights: weights.map((weight) => 3 * weight) });
    expect(thrice.low).toBeCloseTo(once.low, 12);
    expect(once.estimate.tasks).toBeCloseTo(14 ** 2 / 44, 12);
  });

  // Goes red when the mean square of seeds may be 0: this interval then has no width.
  it('does not take seeds that agree by luck for certainty', () => {
    // Each seed solves a different half of the tasks.
    const outcomes = matrix(4, 4, (seed, task) => Number((seed + task) % 4 < 2));
    const { mean, low, high, estimate } = crossedInterval(outcomes);
    expect(mean).toBe(0.5);
    expect(estimate.narrow).toBe(true);
    expect(high - mean).toBeCloseTo(Math.sqrt(estimate.components.rest / 16), 12);
    expect(mean - low).toBeCloseTo(high - mean, 12);
  });

  it('knows no narrow interval where seeds differ', () => {
    expect(crossedInterval(matrix(3, 20, (seed, task) => Number((task * 7) % 20 < 5 + 4 * seed))).estimate.narrow).toBe(
      false,
    );
  });

  it('is Wilson-like for shares: inside the bounds, and skewed near them', () => {
    const outcomes = matrix(3, 50, (seed, task) => Number(!(task === seed && seed < 2)));
    const { mean, low, high } = crossedInterval(outcomes, share);
    expect(mean).toBeCloseTo(148 / 150, 14);
    expect(high).toBeLessThan(1);
    expect(mean - low).toBeGreaterThan(2 * (high - mean));
    expect(crossedInterval(outcomes).high).toBeGreaterThan(1);
    // The limits solve Wilson's equation: each is half a width away, at its own variance.
    const { estimate } = crossedInterval(outcomes, share);
    const trials = (mean * (1 - mean)) / estimate.variance;
    const t = studentT95(estimate.degrees);
    for (const limit of [low, high])
      expect(Math.abs(mean - limit)).toBeCloseTo(t * Math.sqrt((limit * (1 - limit)) / trials), 12);
    // Rewards in 0..10 are shares in other units.
    const tenfold = crossedInterval(
      outcomes.map((row) => row.map((value) => 10 * value)),
      { bounds: [0, 10] },
    );
    expect(tenfold.low).toBeCloseTo(10 * low, 12);
    expect(tenfold.high).toBeCloseTo(10 * high, 12);
  });

  // Goes red when the interval of outcomes without variation has no width.
  it.each([3, 5, 10])('loses its last failure without a jump: %i seeds', (seeds) => {
    const all = crossedInterval(
      matrix(seeds, 100, () => 1),
      share,
    );
    expect(all.method).toBe('no-variation');
    expect(all.high).toBe(1);
    expect(all.low).toBeLessThan(0.97);
    // With one failure of one episode, or of one task for all seeds, it is as wide as Wilson's at that number of
    // trials.
    const t = studentT95(seeds - 1);
    expect(all.low).toBeCloseTo(Math.min(1 / (1 + t ** 2 / (seeds * 100)), 1 / (1 + studentT95(99) ** 2 / 100)), 12);
    const one = crossedInterval(
      matrix(seeds, 100, (seed, task) => Number(seed + task > 0)),
      share,
    );
    const task = crossedInterval(
      matrix(seeds, 100, (_, index) => Number(index > 0)),
      share,
    );
    expect(Math.min(one.low, task.low)).toBeLessThan(all.low);
    expect(Math.min(one.low, task.low)).toBeGreaterThan(all.low - 0.03);
  });

  // Goes red when equality is exact to the last bit: 0.8 - 0.6 and 0.2 - 0 are two doubles.
  it('takes differences for equal that only rounding tells apart', () => {
    const { method, mean } = crossedDifference([[0.6, 0]], [[0.8, 0.2]], share);
    expect(method).toBe('no-variation');
    expect(mean).toBeCloseTo(0.2, 14);
  });

  it('claims nothing of equal outcomes without bounds, nor of one outcome', () => {
    expect(crossedInterval(matrix(3, 5, () => 0.1))).toMatchObject({ mean: 0.1, low: -Infinity, method: 'unknown' });
    expect(crossedInterval([[1]], share)).toMatchObject({ low: 0, high: 1, method: 'unknown' });
    expect(crossedInterval([[1]])).toMatchObject({ low: -Infinity, high: Infinity, method: 'unknown' });
  });

  it('refuses what is no matrix of outcomes', () => {
    expect(() => crossedInterval([])).toThrow(RangeError);
    expect(() => crossedInterval([[1, 0], [1]])).toThrow('row 1 has 1 outcomes');
    expect(() => crossedInterval([[1, NaN]])).toThrow('no outcome for cluster 1');
    expect(() => crossedInterval([[1, 0]], { weights: [1, 0] })).toThrow('above 0');
    expect(() => crossedInterval([[1, 0]], { weights: [1] })).toThrow(RangeError);
    expect(() => crossedInterval([[1, 2]], share)).toThrow('outcome 2 is not between 0 and 1');
  });
});

describe('crossedDifference', () => {
  const random = createRandom(4);
  const first = matrix(4, 30, () => Number(random.uniform() < 0.4));
  const second = matrix(4, 30, (seed) => Number(random.uniform() < 0.5 + seed / 20));

  it('turns round with its sides, and p is below 0.05 exactly where 0 is outside', () => {
    const difference = crossedDifference(first, second, share);
    const back = crossedDifference(second, first, share);
    expect(back.low).toBeCloseTo(-difference.high, 14);
    expect(back.p).toBeCloseTo(difference.p, 14);
    const outside = [0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2].map((shift) => {
      const { low, high, p } = crossedDifference(
        first,
        second.map((row) => row.map((value) => value + shift - 0.1)),
      );
      expect(p < 0.05).toBe(low > 0 || high < 0);
      return p < 0.05;
    });
    expect(new Set(outside).size).toBe(2);
  });

  it('is the paired t interval over seeds where tasks have no effect of their own', () => {
    // The differences of a seed are the same on all tasks, except for a permutation that cancels.
    const gain = [0.1, 0.3, 0.15];
    const better = matrix(3, 6, (seed, task) => gain[seed]! + 0.01 * ((task + seed) % 3));
    const none = matrix(3, 6, () => 0);
    const t = pairedTInterval(
      [0, 0, 0],
      gain.map((value) => value + 0.01),
    );
    const { low, high, estimate } = crossedDifference(none, better);
    expect(estimate.components.task).toBe(0);
    expect(low).toBeCloseTo(t.low, 12);
    expect(high).toBeCloseTo(t.high, 12);
  });

  it('does not claim that cells which never differed are the same', () => {
    const same = crossedDifference(first, first, share);
    expect(same).toMatchObject({ mean: 0, method: 'no-variation', p: 1 });
    expect(same.high).toBeCloseTo(0.1224, 4);
    expect(same.low).toBe(-same.high);
  });

  // Goes red when p and interval of outcomes without variation follow different formulas.
  it.each([
    [3, 100],
    [1, 3],
    [1, 5],
    [1, 9],
    [3, 1],
    [20, 1],
    [2, 2],
  ])('of all or nothing, %i seeds and %i tasks, p is below 0.05 exactly where 0 is outside', (seeds, tasks) => {
    const { low, high, p } = crossedDifference(
      matrix(seeds, tasks, () => 0),
      matrix(seeds, tasks, () => 1),
      share,
    );
    expect(high).toBe(1);
    expect(p < 0.05).toBe(low > 0);
    expect(p).toBeGreaterThan(0);
  });

  it('refuses cells that do not pair', () => {
    expect(() => crossedDifference(first, second.slice(1))).toThrow('4 seeds cannot pair with 3');
    expect(() => crossedDifference([[1, 0]], [[1]])).toThrow('2 tasks cannot pair with 1');
    expect(() => crossedDifference([[1, 0]], [[3, 0]], share)).toThrow(RangeError);
    expect(crossedDifference([[1]], [[0]])).toMatchObject({ p: 1, method: 'unknown' });
  });
});

describe('detectableEffect', () => {
  const components = { seed: 0.004, task: 0.05, rest: 0.25 };

  // Goes red when the task component is left out of the plan, or seeds and tasks change places.
  it.each([
    [3, 100],
    [5, 30],
  ])('is found four times in five by the test it plans: %i seeds, %i tasks', (seeds, tasks) => {
    const effect = detectableEffect({ seeds, tasks, components });
    const random = createRandom(seeds);
    const nothing = matrix(seeds, tasks, () => 0);
    const draw = (variance: number): number => Math.sqrt(variance) * random.normal();
    let found = 0;
    for (let run = 0; run < 1000; run += 1) {
      const bySeed = Array.from({ length: seeds }, () => draw(components.seed));
      const byTask = Array.from({ length: tasks }, () => draw(components.task));
      const cell = matrix(seeds, tasks, (s, t) => effect + bySeed[s]! + byTask[t]! + draw(components.rest));
      if (crossedDifference(nothing, cell).p < 0.05) found += 1;
    }
    // 0.8 within three standard errors, and 2 % for the approximation.
    expect(Math.abs(found / 1000 - 0.8)).toBeLessThan(0.058);
  });

  it('falls with seeds and tasks, and takes what crossedDifference estimates', () => {
    const at = (seeds: number, tasks: number) => detectableEffect({ seeds, tasks, components });
    expect(at(5, 100)).toBeLessThan(at(3, 100));
    expect(at(3, 400)).toBeLessThan(at(3, 100));
    const estimate = crossedEstimate(matrix(3, 20, (seed, task) => Math.sin(seed * 5 + task * 3)));
    expect(detectableEffect(estimate)).toBeGreaterThan(0);
    expect(() => at(1, 100)).toThrow('a plan needs 2 seeds');
    expect(() => detectableEffect({ seeds: 3, tasks: 100, components }, 1)).toThrow(RangeError);
  });

  it('says it in words', () => {
    expect(describeDetectableEffect(0.1361, 3, 100)).toBe(
      'with 3 seeds and 100 tasks you can see differences above 14 points',
    );
    expect(describeDetectableEffect(0.14, 3, 100)).toMatch('above 14 points');
    expect(describeDetectableEffect(0.0321, 10, 1)).toBe(
      'with 10 seeds and 1 task you can see differences above 3.3 points',
    );
    expect(describeDetectableEffect(1.3, 2, 10)).toBe('with 2 seeds and 10 tasks you can see no difference of rates');
  });
});
