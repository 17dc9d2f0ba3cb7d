import { describe, expect, it } from 'vitest';

import { crossedInterval } from '../statistics/crossed-interval.js';
import { expandGrid } from './expand-grid.js';
import { gridEffects } from './grid-effects.js';
import type { RunOutcomes } from './read-outcomes.js';

const cells = expandGrid({ 'algorithm.name': ['ppo', 'grpo', 'rloo'], 'algorithm.groupSize': [8, 16] }, 'full');
const tasks = Array.from({ length: 12 }, (_, index) => `task-${index}`);

/**
 * Returns of a cell: the main effects and interactions of its values, plus noise that depends on seed, task and cell.
 */
function runsOf(id: string, worth: (algorithm: string, size: string) => number): RunOutcomes[] {
  const [algorithm = '', size = ''] = id.split('.');
  return [1, 2, 3, 4].map((seed) => ({
    seed,
    values: new Map(
      tasks.map((task, index) => [task, worth(algorithm, size) + Math.sin(17 * seed + 5 * index + id.length)] as const),
    ),
    clusters: new Map(),
  }));
}

const worth = (algorithm: string, size: string) =>
  ({ ppo: 0, grpo: 3, rloo: 1 })[algorithm]! +
  (size === 'groupSize-16' ? 2 : 0) +
  (algorithm === 'rloo' && size === 'groupSize-16' ? 5 : 0);
const outcomes = new Map(cells.map(({ id }) => [id, runsOf(id, worth)]));

describe('gridEffects', () => {
  const effects = gridEffects(cells, outcomes, 'return');
  const mean = (id: string) => crossedInterval(outcomes.get(id)!.map(({ values }) => [...values.values()])).mean;

  it('takes main effects over all values of the other keys, and interactions as differences of differences', () => {
    expect(effects.map(({ kind, a, b }) => [kind, a, b])).toEqual([
      ['main', 'ppo', 'grpo'],
      ['main', 'ppo', 'rloo'],
      ['main', 'groupSize 8', 'groupSize 16'],
      ['interaction', 'grpo', 'groupSize 16'],
      ['interaction', 'rloo', 'groupSize 16'],
    ]);
    const at = (algorithm: string, size: number) => mean(`${algorithm}.groupSize-${size}`);
    const [grpo, rloo, size, , together] = effects.map(({ difference }) => difference.mean);
    // Goes red when a mean is taken over the wrong cells, or only half of an interaction is reported.
    expect(grpo).toBeCloseTo((at('grpo', 8) + at('grpo', 16) - at('ppo', 8) - at('ppo', 16)) / 2, 12);
    expect(rloo).toBeCloseTo((at('rloo', 8) + at('rloo', 16) - at('ppo', 8) - at('ppo', 16)) / 2, 12);
    const steps = ['ppo', 'grpo', 'rloo'].map((name) => at(name, 16) - at(name, 8));
    expect(size).toBeCloseTo(steps.reduce((sum, one) => sum + one, 0) / 3, 12);
    expect(together).toBeCloseTo(steps[2]! - steps[0]!, 12);
    const { low, high } = effects[4]!.difference;
    expect(low).toBeLessThan(5);
    expect(high).toBeGreaterThan(5);
    expect(effects[4]).toMatchObject({ seeds: 4, tasks: 12 });
  });

  it('corrects over all effects', () => {
    const smallest = Math.min(...effects.map(({ p }) => p));
    expect(effects.find(({ p }) => p === smallest)!.corrected).toBeCloseTo(5 * smallest, 12);
  });

  it('says nothing of a grid that is not full, has one key, or lacks a cell', () => {
    expect(gridEffects(cells.slice(1), outcomes, 'return')).toEqual([]);
    expect(gridEffects(expandGrid({ a: [1, 2] }, 'full'), outcomes, 'return')).toEqual([]);
    expect(gridEffects(cells, new Map([...outcomes].slice(1)), 'return')).toEqual([]);
  });
});
