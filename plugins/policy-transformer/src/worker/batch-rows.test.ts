import type { TrainingBatch } from '@agentgym/cli';
import { buildBatch, emptyBatch, testHost } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { layOut } from '../model/pack-rows.js';
import { presetConfig } from '../presets/presets.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { cutMicroBatches, dealUnits, takeRows, trainedUnits } from './batch-rows.js';

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

const config: DecoderConfig = presetConfig('pico', 1000, 1024);

/** Rows whose last token is sampled. The first tokens of all rows are equal, the others are random. */
function rowsOf(lengths: readonly number[], alike = 0): TrainingBatch {
  const { random } = testHost();
  const width = Math.max(...lengths);
  const size = lengths.length * width;
  const last = (index: number) => index % width === lengths[Math.floor(index / width)]! - 1;
  return {
    ...emptyBatch({ rows: lengths.length, width, temperature: 1 }),
    tokens: Int32Array.from({ length: size }, (_, index) =>
      index % width < alike ? index % width : random.integer(1, 1000),
    ),
    mask: Uint8Array.from({ length: size }, (_, index) => Number(last(index))),
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
  /** rows * width of a micro-batch. */
  const sizeOf = (chosen: readonly number[], lengths: readonly number[], { tokens }: TrainingBatch) => {
    const width = Math.max(...lengths);
    const { rows, width: laid } = layOut(
      chosen.map((row) => tokens.subarray(row * width, row * width + lengths[row]! - 1)),
      config,
    );
    return rows * laid;
  };

  // Goes red when a limit counts sequences, as if each had a row of its own.
  it.each([
    ['row', 1],
    ['pair', 2],
  ] as const)('keeps every row once and each micro-batch within its limit: units of a %s', (kind, unit) => {
    const { random } = testHost();
    for (let trial = 0; trial < 30; trial += 1) {
      const lengths = Array.from({ length: 2 * random.integer(1, 40) }, () => random.integer(2, 200));
      const limit = random.integer(1, 4000);
      // In half of the trials, rows begin alike.
      const batch = rowsOf(lengths, trial % 2 === 0 ? 0 : 40);
      const cuts = cutMicroBatches(batch, trainedUnits(batch, kind), config, limit);
      expect(cuts.flat().sort((a, b) => a - b)).toEqual([...lengths.keys()]);
      for (const rows of cuts) {
        expect(rows.length % unit).toBe(0);
        if (rows.length > unit) expect(sizeOf(rows, lengths, batch)).toBeLessThanOrEqual(limit);
      }
      // Few micro-batches: no more than twice as many as tokens alone would need, and one.
      const tokens = lengths.reduce((sum, length) => sum + length, 0);
      if (limit >= 1000) expect(cuts.length).toBeLessThanOrEqual(2 * Math.ceil(tokens / limit) + 1);
    }
  });

  it('gives long sequences, which are computed in blocks, rows of their own', () => {
    const lengths = [600, 20, 20, 20];
    const batch = rowsOf(lengths);
    expect(cutMicroBatches(batch, trainedUnits(batch, 'row'), config, 1200)).toEqual([[0], [1, 2, 3]]);
  });

  // Goes red when rows that begin alike are cut apart, and their beginning is computed several times.
  it('keeps rows together that begin alike, and cuts by the tokens that are computed', () => {
    const lengths = Array.from({ length: 40 }, () => 50);
    const batch = rowsOf(lengths, 40);
    // 4 groups, their members apart: a group computes 40 tokens once, and 10 for each of its 10 members.
    const tokens = batch.tokens.map((token, index) => (index % 50 < 40 ? 1 + (Math.floor(index / 50) % 4) : token));
    const cuts = cutMicroBatches({ ...batch, tokens }, trainedUnits(batch, 'row'), config, 320);
    const groups = cuts.map((rows) => new Set(rows.map((row) => row % 4)));
    expect(cuts.length).toBeLessThanOrEqual(3);
    expect(groups.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(6);
    const shares = dealUnits({ ...batch, tokens }, trainedUnits(batch, 'row'), 2);
    expect(shares.map((units) => units.length)).toEqual([20, 20]);
    for (const units of shares) expect(new Set(units.flat().map((row) => row % 4)).size).toBe(2);
  });
});

describe('trainedUnits', () => {
  // Goes red when rows of one episode, or of a pair, may come into different micro-batches.
  it('keeps together what a loss reads, longest first', () => {
    const lengths = [3, 9, 4, 2, 8, 5, 7];
    const batch = { ...rowsOf(lengths), episode: Int32Array.of(4, 4, 7, 7, 7, 1, 2) };
    expect(trainedUnits(batch, 'row')).toEqual([[1], [4], [6], [5], [2], [0], [3]]);
    expect(trainedUnits(batch, 'episode')).toEqual([[0, 1], [2, 3, 4], [6], [5]]);
    expect(trainedUnits(batch, 'pair')).toEqual([
      [0, 1, 2, 3, 4],
      [5, 6],
    ]);
    const cuts = cutMicroBatches(batch, trainedUnits(batch, 'episode'), config, 8);
    expect(cuts).toEqual([[0, 1], [2, 3, 4], [6], [5]]);
  });
});

describe('dealUnits', () => {
  it('deals rows that begin differently by their lengths', () => {
    const lengths = [10, 80, 60, 20, 40, 70];
    const batch = rowsOf(lengths);
    const shares = dealUnits(batch, trainedUnits(batch, 'row'), 2).map((units) =>
      units.flat().map((row) => lengths[row]!),
    );
    expect(shares).toEqual([
      [80, 60, 20],
      [70, 40, 10],
    ]);
  });

  it('gives every unit once, and as many shares as asked for', () => {
    const batch = rowsOf([30, 30], 25);
    expect(dealUnits(batch, trainedUnits(batch, 'pair'), 3)).toEqual([[[0, 1]], [], []]);
    const alike = rowsOf(
      Array.from({ length: 9 }, () => 30),
      25,
    );
    const shares = dealUnits(alike, trainedUnits(alike, 'row'), 4);
    expect(shares).toHaveLength(4);
    expect(shares.flat(2).sort((a, b) => a - b)).toEqual([...Array(9).keys()]);
  });
});
