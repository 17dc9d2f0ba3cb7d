import { describe, expect, it } from 'vitest';

import type { Algorithm } from '../contracts/algorithm.js';
import type { TrainingBatch } from '../contracts/batch.js';
import { batchColumns, type BatchColumn } from '../credit/batch-columns.js';
import { buildBatch } from '../rollout/build-batch.js';
import { TabularPolicy } from '../testing/tabular-policy.js';
import { fillRoles } from './fill-roles.js';

const algorithm: Algorithm = {
  roles: ['reference'],
  critic: { trunk: 'shared', learningRate: null, warmup: 0, loss: () => ({ terms: {} }) },
  initialState: {},
  advantages: ({ rewards }, state) => ({ advantages: rewards, state }),
  weights: ({ weight }) => weight,
  loss: () => ({ terms: {} }),
};

const batch = buildBatch(
  [3, 5].map((length, row) => ({
    record: {
      tokens: Array.from({ length }, (_, t) => 1 + ((t + row) % 3)),
      mask: Array.from({ length }, (_, t): 0 | 1 => (t > 0 ? 1 : 0)),
      logprobs: Array.from({ length }, () => -1),
    },
    turns: [{ sampled: [1, length], reward: 1 }],
    group: row,
    truncated: row === 0,
  })),
  1,
);

describe('fillRoles', () => {
  // Goes red when the batch that asks for the value after a cut keeps a column of the old width.
  it('asks the critic about batches whose columns have all one shape', async () => {
    const policy = new TabularPolicy({ texts: ['left right', 'up'], valueHead: true });
    const seen: TrainingBatch[] = [];
    const critic = {
      values: (probe: TrainingBatch) => {
        seen.push(probe);
        return policy.values(probe);
      },
    };
    const filled = await fillRoles(batch, algorithm, { reference: await policy.freeze(), critic });
    expect(filled).toMatchObject({ referenceLogprobs: expect.any(Float64Array), values: expect.any(Float64Array) });
    const again = await fillRoles(filled, algorithm, { reference: await policy.freeze(), critic });
    expect(again).toEqual(filled);
    expect(seen.map(({ width }) => width)).toEqual([5, 6, 5, 6]);
    for (const probe of seen) {
      for (const [name, column] of Object.entries(batchColumns) as [keyof typeof batchColumns, BatchColumn][]) {
        const expected = column.per === 'token' ? probe.rows * probe.width : probe.rows;
        expect(probe[name]?.length ?? expected, name).toBe(expected);
      }
    }
    const [, probe] = seen;
    expect([...probe!.mask]).toEqual([0, 0, 0, 1, 0, 0, ...Array<number>(6).fill(0)]);
    expect([...probe!.length]).toEqual([4, 6]);
  });
});
