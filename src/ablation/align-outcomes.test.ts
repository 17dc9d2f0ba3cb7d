import { describe, expect, it } from 'vitest';

import { alignOutcomes } from './align-outcomes.js';
import type { RunOutcomes } from './read-outcomes.js';

function outcomes(seed: number, values: Record<string, number>, clusters: Record<string, string> = {}): RunOutcomes {
  return { seed, values: new Map(Object.entries(values)), clusters: new Map(Object.entries(clusters)) };
}

describe('alignOutcomes', () => {
  it('puts tasks that all runs played under each other, whatever their order', () => {
    const aligned = alignOutcomes([outcomes(1, { a: 1, b: 0, c: 1 }), outcomes(2, { c: 0, a: 0.5 })]);
    expect(aligned).toEqual({ rows: [[1, 1], [0.5, 0]], weights: [1, 1], tasks: 2 }); // prettier-ignore
  });

  it('takes means over clusters, which weigh as much as they have tasks', () => {
    const clusters = { a: 'x', b: 'x', c: 'y' };
    const aligned = alignOutcomes([outcomes(1, { a: 1, b: 0, c: 1 }, clusters)]);
    expect(aligned).toEqual({ rows: [[0.5, 1]], weights: [2, 1], tasks: 3 });
  });

  it('has nothing where no task is common, or there is no run', () => {
    expect(alignOutcomes([outcomes(1, { a: 1 }), outcomes(2, { b: 1 })])).toBeUndefined();
    expect(alignOutcomes([])).toBeUndefined();
  });
});
