import { describe, expect, it } from 'vitest';

import { expandGrid, gridSize } from './expand-grid.js';

const grid = { 'algorithm.groupSize': [4, 8], 'stages.rl.steps': [10, 20, 30] };

function points(design: Parameters<typeof expandGrid>[1], sample?: number): unknown[] {
  return expandGrid(grid, design, sample).map(({ settings }) => Object.values(settings));
}

describe('expandGrid', () => {
  it('takes every point, the last key fastest', () => {
    expect(points('full')).toEqual([
      [4, 10],
      [4, 20],
      [4, 30],
      [8, 10],
      [8, 20],
      [8, 30],
    ]);
    expect(gridSize(grid)).toBe(6);
  });

  it('takes the first values and each other value alone', () => {
    expect(points('one-at-a-time')).toEqual([
      [4, 10],
      [8, 10],
      [4, 20],
      [4, 30],
    ]);
  });

  it('takes values of one place together', () => {
    const cells = expandGrid({ a: [1, 2], b: ['x', 'y'] }, 'paired');
    expect(cells.map(({ settings }) => settings)).toEqual([
      { a: 1, b: 'x' },
      { a: 2, b: 'y' },
    ]);
  });

  // Goes red when points are drawn with replacement, or by a clock.
  it('draws different points, the same every time, a larger sample after a smaller one', () => {
    const all = points('full');
    for (const count of [1, 3, 6]) {
      const drawn = points('random', count);
      expect(new Set(drawn.map(String)).size).toBe(count);
      for (const point of drawn) expect(all).toContainEqual(point);
    }
    expect(points('random', 6).slice(0, 3)).toEqual(points('random', 3));
    expect(points('random', 99)).toHaveLength(6);
  });

  it('names cells by the last words of their keys, and by all of them where these are alike', () => {
    const ids = (of: Parameters<typeof expandGrid>[0]) => expandGrid(of, 'full').map(({ id }) => id);
    expect(ids(grid)[0]).toBe('groupSize-4.steps-10');
    expect(ids({ 'stages.sft.steps': [1], 'stages.rl.steps': [-2] })).toEqual([
      'stages-sft-steps-1.stages-rl-steps-minus-2',
    ]);
    expect(ids({ width: [[8, 27]], kind: ['a/b'], none: [null] })).toEqual(['width-8-27.kind-a-b.none-null']);
  });

  it('names cells for people by what their values are called', () => {
    const cells = expandGrid(
      {
        algorithm: { plain: { name: 'grpo' }, wide: { name: 'grpo', options: { clipHigh: 0.4 } } },
        'reward.terms': [[{ name: 'sparse' }], [{ name: 'dense' }]],
        'algorithm.groupSize': [8],
      },
      'full',
    );
    expect(cells.map(({ id, title }) => [id, title])[1]).toEqual([
      'plain.dense.groupSize-8',
      'plain, dense, groupSize 8',
    ]);
    expect(cells[3]).toMatchObject({
      settings: { algorithm: { options: { clipHigh: 0.4 } }, 'reward.terms': [{ name: 'dense' }] },
      levels: { algorithm: 'wide', 'reward.terms': 'dense', 'algorithm.groupSize': 'groupSize 8' },
    });
  });

  // The size of a grid of a billion points is computed before any point is created.
  it('knows the size of a grid that does not fit into memory', () => {
    const values = Array.from({ length: 1000 }, (_, index) => index);
    expect(gridSize({ a: values, b: values, c: values })).toBe(1e9);
    expect(expandGrid({ a: values, b: values, c: values }, 'random', 5)).toHaveLength(5);
  });
});
