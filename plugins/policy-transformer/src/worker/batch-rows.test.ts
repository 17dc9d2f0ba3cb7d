import type { TrainingBatch } from '@agentgym/cli';
import { buildBatch, emptyBatch, testHost } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { layOut } from '../model/pack-rows.js';
import { cutMicroBatches, takeRows, trainedUnits } from './batch-rows.js';

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

describe('cutMicroBatches', () => {
  /** Rows whose last token is sampled. */
  const rowsOf = (lengths: readonly number[]): TrainingBatch => {
    const width = Math.max(...lengths);
    const last = (index: number) => index % width === lengths[Math.floor(index / width)]! - 1;
    return {
      ...emptyBatch({ rows: lengths.length, width, temperature: 1 }),
      mask: Uint8Array.from({ length: lengths.length * width }, (_, index) => Number(last(index))),
    };
  };
  /** rows * width of a micro-batch. */
  const sizeOf = (rows: readonly number[], lengths: readonly number[]) => {
    const ofRows = rows.map((row) => lengths[row]!);
    const longest = Math.max(...ofRows);
    return layOut(ofRows, longest).rows * longest;
  };

  // Goes red when a limit counts sequences, as if each had a row of its own.
  it.each([1, 2] as const)('keeps every row once and each micro-batch within its limit: units of %i', (unit) => {
    const { random } = testHost();
    for (let trial = 0; trial < 30; trial += 1) {
      const lengths = Array.from({ length: 2 * random.integer(1, 40) }, () => random.integer(2, 200));
      const limit = random.integer(1, 4000);
      const batch = rowsOf(lengths);
      const cuts = cutMicroBatches(batch, trainedUnits(batch, unit), limit);
      expect(cuts.flat().sort((a, b) => a - b)).toEqual([...lengths.keys()]);
      for (const rows of cuts) {
        expect(rows.length % unit).toBe(0);
        if (rows.length > unit) expect(sizeOf(rows, lengths)).toBeLessThanOrEqual(limit);
      }
      // Few micro-batches: no more than twice as many as tokens alone would need, and one.
      const tokens = lengths.reduce((sum, length) => sum + length, 0);
      if (limit >= 1000) expect(cuts.length).toBeLessThanOrEqual(2 * Math.ceil(tokens / limit) + 1);
    }
  });

  it('gives long sequences, which are computed in blocks, rows of their own', () => {
    const lengths = [600, 20, 20, 20];
    const batch = rowsOf(lengths);
    expect(cutMicroBatches(batch, trainedUnits(batch, 1), 1200)).toEqual([[0], [1, 2, 3]]);
  });
});
