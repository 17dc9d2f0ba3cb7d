import { describe, expect, it } from 'vitest';

import { createRandom } from '../random/create-random.js';
import { cellMean, compareCells, isSeparable, meanOfRuns } from './compare-cells.js';
import type { RunOutcomes } from './read-outcomes.js';

const tasks = Array.from({ length: 60 }, (_, index) => `task-${index}`);

/** Runs that solve each task with its own probability plus a shift. */
function runs(shift: number, seeds: readonly number[], names = tasks): RunOutcomes[] {
  return seeds.map((seed) => {
    const random = createRandom(seed).stream('runs', String(shift));
    const values = names.map(
      (task, index) => [task, Number(random.uniform() < 0.3 + (index % 5) / 20 + shift)] as const,
    );
    return { seed, values: new Map(values), clusters: new Map() };
  });
}

describe('compareCells', () => {
  it('pairs seeds and tasks, and corrects for the number of comparisons', () => {
    const outcomes = new Map([
      ['low', runs(0, [1, 2, 3])],
      ['high', runs(0.4, [1, 2, 3])],
      ['same', runs(0.001, [1, 2, 3])],
    ]);
    const [high, same] = compareCells(
      [
        ['low', 'high'],
        ['low', 'same'],
      ],
      outcomes,
      'success',
    );
    expect(high).toMatchObject({ a: 'low', b: 'high', seeds: 3, tasks: 60, design: 'paired' });
    expect(high!.difference.mean).toBeCloseTo(
      cellMean(outcomes.get('high')!, 'success')!.mean - cellMean(outcomes.get('low')!, 'success')!.mean,
      12,
    );
    expect(high!.difference.low).toBeGreaterThan(0);
    expect(high!.corrected).toBeCloseTo(2 * high!.p, 12);
    expect(same!.difference.low).toBeLessThan(0);
    expect(same!.difference.high).toBeGreaterThan(0);
    expect(same!.detectable).toBeGreaterThan(0);
  });

  // Goes red when rows of different seeds are paired.
  it('compares only seeds that both cells have', () => {
    const outcomes = new Map([
      ['a', runs(0, [1, 2, 3])],
      ['b', runs(0, [3, 1])],
    ]);
    const [comparison] = compareCells([['a', 'b']], outcomes, 'success');
    expect(comparison).toMatchObject({ seeds: 2, difference: { mean: 0 } });
  });

  it('compares cells of different tasks without pairs, and says so', () => {
    const others = tasks.map((task) => `other-${task}`);
    const outcomes = new Map([
      ['easy', runs(0.4, [1, 2, 3])],
      ['hard', runs(0, [1, 2, 3], others)],
    ]);
    const [comparison] = compareCells([['easy', 'hard']], outcomes, 'success');
    expect(comparison).toMatchObject({ design: 'unpaired' });
    expect(comparison!.detectable).toBeUndefined();
    expect(comparison!.difference.high).toBeLessThan(0);
    expect(comparison!.p).toBeLessThan(0.05);
  });

  // Goes red when means are taken over the few tasks that seeds happen to share.
  it('compares seeds that were evaluated on tasks of their own by their means', () => {
    const own = (shift: number) =>
      [1, 2, 3].flatMap((seed) =>
        runs(shift, [seed], [...tasks.slice(0, 3), ...tasks.map((task) => `${seed}-${task}`)]),
      );
    const outcomes = new Map([
      ['low', own(0)],
      ['high', own(0.3)],
    ]);
    const rate = (cell: string) => {
      const rates = outcomes
        .get(cell)!
        .map(({ values }) => [...values.values()].reduce((a, b) => a + b, 0) / values.size);
      return rates.reduce((a, b) => a + b, 0) / 3;
    };
    expect(cellMean(outcomes.get('low')!, 'success')).toMatchObject({ method: 'seeds' });
    expect(cellMean(outcomes.get('low')!, 'success')!.mean).toBeCloseTo(rate('low'), 12);
    const [comparison] = compareCells([['low', 'high']], outcomes, 'success');
    expect(comparison).toMatchObject({ design: 'paired', seeds: 3, tasks: 63 });
    expect(comparison!.difference.mean).toBeCloseTo(rate('high') - rate('low'), 12);
  });

  // Goes red when the flag of the estimate is lost, or when too few seeds count as enough.
  it('says which intervals are not to be believed as they stand', () => {
    const compare = (seeds: readonly number[]) =>
      compareCells([['a', 'b']], new Map([['a', runs(0, seeds)], ['b', runs(0.4, seeds)]]), 'success')[0]!; // prettier-ignore
    expect(compare([1]).difference.reservation).toBe('one-seed');
    expect(compare([1, 2]).difference.reservation).toBe('two-seeds');
    expect(meanOfRuns(runs(0, [1, 2]), 'success')?.reservation).toBe('two-seeds');
    // Goes red when the table of cells shows another interval of a single run than the table of runs.
    const own = { rate: 0.4, low: 0.25, high: 0.5 };
    const alone = runs(0, [1]).map((run) => ({ ...run, own }));
    expect(meanOfRuns(alone, 'success')).toEqual({ mean: 0.4, low: 0.25, high: 0.5, reservation: 'one-seed' });
    const sharp = compare([2, 4, 6]);
    expect(sharp.difference.reservation).toBeUndefined();
    expect(isSeparable({ ...sharp, corrected: 0.001 })).toBe(true);
    expect(isSeparable({ ...sharp, corrected: 0.06 })).toBe(false);
    expect(
      isSeparable({ ...sharp, corrected: 0.001, difference: { ...sharp.difference, reservation: 'narrow' } }),
    ).toBe(false);
  });

  it('passes on that seeds agree better than tasks allow', () => {
    // All seeds win the same number of tasks, but each wins tasks that another loses.
    const turn = (seed: number, shift: number) => ({
      seed,
      values: new Map(tasks.map((task, index) => [task, Number((index + 7 * seed) % 20 < 8 + shift)] as const)),
      clusters: new Map<string, string>(),
    });
    const cell = (shift: number) => [1, 2, 3].map((seed) => turn(seed, shift));
    expect(meanOfRuns(cell(0), 'success')?.reservation).toBe('narrow');
  });

  it('leaves out a cell without a run', () => {
    expect(compareCells([['a', 'b']], new Map([['a', runs(0, [1])]]), 'success')).toEqual([]);
  });
});
