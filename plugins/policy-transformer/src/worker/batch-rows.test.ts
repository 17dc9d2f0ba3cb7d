import type { TrainingBatch } from '@agentgym/cli';
import { buildBatch } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { takeRows } from './batch-rows.js';

/** Three rows of `width` tokens with columns of every kind. Each number encodes its position. */
function fullBatch(width: number): TrainingBatch {
  const row = (group: number) => {
    const tokens = Array.from({ length: width }, (_, t) => 10 * group + t);
    const record = { tokens, mask: tokens.map((): 1 => 1), logprobs: tokens.map((token) => -token) };
    return { record, turns: [{ sampled: [0, width], reward: group }] as const, group, truncated: group === 1 };
  };
  const built = buildBatch([row(0), row(1), row(2)], 0.5);
  const perToken = (scale: number) => Float64Array.from(built.tokens, (token) => scale * token);
  const perRow = (scale: number) => Float64Array.from(built.group, (group) => scale * group);
  return {
    ...built,
    startState: built.tokens.slice(),
    weight: perToken(2),
    referenceLogprobs: perToken(3),
    values: perToken(4),
    advantages: perToken(5),
    returns: perToken(6),
    klCoefficient: perToken(7),
    greedyReturn: perRow(8),
    bootstrapValue: perRow(9),
  };
}

describe('takeRows', () => {
  // Goes red when a column is left out, as `greedyReturn` once was, or read with the wrong stride.
  it.each([1, 2, 5])('keeps every column of rows %s tokens wide', (width) => {
    const batch = fullBatch(width);
    const taken = takeRows(batch, [2, 0]);
    expect(Object.keys(taken).sort()).toEqual(Object.keys(batch).sort());
    for (const name of Object.keys(batch) as (keyof TrainingBatch)[]) {
      const [whole, part] = [batch[name], taken[name]];
      if (typeof whole !== 'object' || typeof part !== 'object') expect(part, name).toBe(name === 'rows' ? 2 : whole);
      else {
        const stride = whole.length / batch.rows;
        expect([...part], name).toEqual([...whole.slice(2 * stride), ...whole.slice(0, stride)]);
        expect(part.constructor, name).toBe(whole.constructor);
      }
    }
    expect(taken.greedyReturn).toEqual(Float64Array.of(16, 0));
  });

  it('takes none', () => {
    expect(takeRows(fullBatch(2), [])).toMatchObject({ rows: 0, width: 2, greedyReturn: new Float64Array(0) });
  });
});
