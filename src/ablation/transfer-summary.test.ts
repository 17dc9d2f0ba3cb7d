import { describe, expect, it } from 'vitest';

import { createRandom } from '../random/create-random.js';
import type { RunOutcomes } from './read-outcomes.js';
import { summarizeTransfer, trainedThere } from './transfer-summary.js';

const levels = ['a', 'b', 'c'];
/** Columns differ in size, but have equal weights. */
const sizes: Record<string, number> = { a: 40, b: 10, c: 25 };
const chances: Record<string, Record<string, number>> = {
  a: { a: 0.9, b: 0.3, c: 0.2 },
  b: { a: 0.8, b: 0.6, c: 0.5 },
  c: { a: 0.3, b: 0.2, c: 0.7 },
};

function played(trained: string, tested: string, seeds: readonly number[] = [1, 2, 3]): RunOutcomes[] {
  return seeds.map((seed) => {
    const random = createRandom(seed).stream(trained, tested);
    const tasks = Array.from({ length: sizes[tested]! }, (_, i) => `t${i}`);
    const values = tasks.map((task) => [task, Number(random.uniform() < chances[trained]![tested]!)] as const);
    return { seed, values: new Map(values), clusters: new Map() };
  });
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const rate = (trained: string, tested: string) =>
  mean(played(trained, tested).flatMap(({ values }) => [...values.values()]));

describe('summarizeTransfer', () => {
  const summary = summarizeTransfer(levels, levels, played, 'success', []);

  // Goes red when a column is weighted by its number of tasks, or when a row's own column counts.
  it('takes the mean of a row over the other columns, each alike, from those that trained there', () => {
    expect(summary.elsewhere.map(({ a, b }) => [a, b])).toEqual(levels.map((level) => [trainedThere, level]));
    for (const { b: row, difference, seeds, tasks } of summary.elsewhere) {
      const others = levels.filter((level) => level !== row);
      expect(difference.mean).toBeCloseTo(mean(others.map((column) => rate(row, column) - rate(column, column))), 12);
      expect(difference.low).toBeLessThan(difference.mean);
      expect([seeds, tasks]).toEqual([3, others.reduce((sum, column) => sum + sizes[column]!, 0)]);
    }
  });

  it('holds the row that loses least against each of the others over all columns', () => {
    expect(summary.best?.trained).toBe('b');
    expect(summary.best?.against.map(({ a, b }) => [a, b])).toEqual(
      expect.arrayContaining([
        ['a', 'b'],
        ['c', 'b'],
      ]),
    );
    const losses = new Map(summary.elsewhere.map(({ b, difference }) => [b, difference.mean]));
    for (const { a, difference } of summary.best!.against) {
      expect(difference.mean).toBeCloseTo(mean(levels.map((column) => rate('b', column) - rate(a, column))), 12);
      // As its doc comment claims, this is the difference of the losses up to a factor.
      expect(losses.get('b')! - losses.get(a)!).toBeCloseTo((3 / 2) * difference.mean, 12);
    }
  });

  it('takes few turns for better', () => {
    expect(summarizeTransfer(levels, levels, played, 'turns', []).best?.trained).toBe('c');
  });

  it('leaves out seeds that lack a column, and rows without a seed', () => {
    const some = (trained: string, tested: string) => played(trained, tested, trained === 'c' ? [2] : [1, 2]);
    expect(summarizeTransfer(levels, levels, some, 'success', []).elsewhere.map(({ seeds }) => seeds)).toEqual([
      1, 1, 1,
    ]);
    const none = (trained: string, tested: string) => (trained === 'c' ? [] : played(trained, tested));
    const { elsewhere, best } = summarizeTransfer(levels, levels, none, 'success', []);
    expect(elsewhere).toEqual([]);
    expect(best).toBeUndefined();
  });

  it('notes columns that the oracle has too few turns for', () => {
    const oracle = (solved: number, truncated: number) => ({ success: { rate: solved }, truncated });
    const environments = {
      a: { baselines: { oracle: oracle(1, 0) } },
      b: { baselines: { oracle: oracle(0.4, 0.6) } },
      c: { baselines: {} },
    };
    const { notes } = summarizeTransfer(levels, levels, played, 'success', [{ environments } as never]);
    expect(notes).toEqual([
      'On b the oracle solves 40.0 %: 60.0 % of its episodes are cut. A longer `evaluation.horizon` would avoid this.',
    ]);
  });
});
