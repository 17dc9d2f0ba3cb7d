import { describe, expect, it } from 'vitest';

import { GridProgress } from './grid-progress.js';

const started = (cell: string, seed: number) => ({ type: 'run-started', cell, seed, resumed: false }) as const;
const ended = (cell: string, seed: number, status: 'completed' | 'failed') =>
  ({ type: 'run-ended', cell, seed, status }) as const;

describe('GridProgress', () => {
  it('tells where a cell is: seeds done, failed and under way', () => {
    const grid = new GridProgress(['a', 'b'], 3, 2, 0);
    expect(grid.describe('a')).toBe('a: 0/3 seeds');
    grid.take({ type: 'run-found', cell: 'a', seed: 1 }, 0);
    grid.take(started('a', 2), 0);
    expect(grid.describe('a')).toBe('a: 1/3 seeds; seed 2: prepares');
    grid.take({ type: 'run-event', cell: 'a', seed: 2, event: { type: 'stage-started', stage: 'rl', kind: 'rl', steps: 9, done: 0 } }, 0); // prettier-ignore
    grid.take({ type: 'run-event', cell: 'a', seed: 2, event: { type: 'step', stage: 'rl', step: 3, steps: 9, metrics: { 'rollout/success': 0.5 } } }, 3000); // prettier-ignore
    expect(grid.describe('a')).toBe('a: 1/3 seeds; seed 2: rl: step 3/9, success 50 %, 6 s left');
    grid.take(ended('a', 2, 'failed'), 4000);
    expect(grid.describe('a')).toBe('a: 1/3 seeds, 1 failed');
    expect(grid.isDone('a')).toBe(false);
    grid.take(started('a', 3), 4000);
    grid.take(ended('a', 3, 'completed'), 5000);
    expect(grid.isDone('a')).toBe(true);
    grid.take(started('b', 1), 5000);
    grid.take({ type: 'run-ended', cell: 'b', seed: 1, status: 'interrupted' }, 6000);
    expect(grid.summary(6000)).toContain('3 of 6 runs');
    expect(grid.isDone('b')).toBe(false);
  });

  // Goes red when runs that were found count as runs of this session. They took no time.
  it('judges what is left by the runs that ended in it', () => {
    const grid = new GridProgress(['a'], 6, 2, 0);
    grid.take({ type: 'run-found', cell: 'a', seed: 1 }, 0);
    grid.take({ type: 'run-found', cell: 'a', seed: 2 }, 0);
    expect(grid.summary(0)).toBe('2 of 6 runs, 0 s');
    grid.take(started('a', 3), 0);
    grid.take(ended('a', 3, 'completed'), 10_000);
    // Three are left, 10 s each, two at a time.
    expect(grid.summary(10_000)).toBe('3 of 6 runs, 10 s, about 15 s left');
  });
});
