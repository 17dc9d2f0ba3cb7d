import { describe, expect, it } from 'vitest';

import { creditTools as credit } from './credit-tools.js';
import { goldenNames, loadGolden } from './fixtures/golden-batch.js';

describe.each(goldenNames)('credit tools on the recorded batch `%s`', (name) => {
  const { batch, recorded } = loadGolden(name);
  const { turn_ends, turn_rewards, group } = recorded.batch as unknown as {
    turn_ends: number[][];
    turn_rewards: number[][];
    group: string[];
  };

  it('finds sampled tokens and the end of each turn', () => {
    for (let row = 0; row < batch.rows; row += 1) {
      const { indices, turnEnds } = credit.actionTokens(batch, row);
      const sampled = recorded.batch.mask[row]!.flatMap((sampled, t) => (sampled === 1 ? [row * batch.width + t] : []));
      expect(indices).toEqual(sampled);
      expect(turnEnds).toEqual(turn_ends[row]!.map((t) => row * batch.width + t));
    }
  });

  it('sums the rewards of an episode and nothing under mask 0', () => {
    const spoilt = { ...batch, rewards: batch.rewards.map((reward, i) => (batch.mask[i] === 1 ? reward : NaN)) };
    const sums = turn_rewards.map((rewards) => rewards.reduce((sum, reward) => sum + reward, 0));
    expect([...credit.episodeReturns(spoilt)]).toEqual(sums.map((sum): unknown => expect.closeTo(sum, 9)));
  });

  it('finds the rows of each group', () => {
    const rows = [...new Set(group)].map((name) => group.flatMap((other, row) => (other === name ? [row] : [])));
    expect(credit.groupRows(batch)).toEqual(rows);
  });

  it('spreads a number over the sampled tokens of a row', () => {
    const spread = credit.spreadOverTokens(
      batch,
      Float64Array.from({ length: batch.rows }, (_, row) => row + 1),
    );
    const expected = [...batch.mask].map((sampled, i) => sampled * (Math.floor(i / batch.width) + 1));
    expect([...spread]).toEqual(expected);
  });

  it.each(['token-mean', 'sequence-mean-token-mean'] as const)('%s: weights sum to 1', (aggregation) => {
    const weights = credit.aggregationWeights(batch, aggregation);
    expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
    expect(weights.every((weight, i) => weight > 0 === (batch.mask[i] === 1))).toBe(true);
  });
});

describe('meanAndDeviation', () => {
  it('divides by n - 1, and is 0 where there is nothing to compare', () => {
    expect(credit.meanAndDeviation([1, 2, 3, 6])).toEqual({
      mean: 3,
      deviation: expect.closeTo(2.160246899469287, 12),
    });
    expect(credit.meanAndDeviation([0.3])).toEqual({ mean: 0.3, deviation: 0 });
    expect(credit.meanAndDeviation([])).toEqual({ mean: 0, deviation: 0 });
  });

  // 0.1 + 0.2 + 0.4 is not 0.7 in binary; goes red when the threshold is not read.
  it('takes no signal out of rounding', () => {
    const sums = [0.1 + 0.2 + 0.4, 0.7];
    expect(credit.meanAndDeviation(sums).deviation).toBeGreaterThan(0);
    expect(credit.meanAndDeviation(sums, 1e-8).deviation).toBe(0);
  });
});

describe('aggregationWeights', () => {
  const { batch } = loadGolden('edge');

  it('refuses a constant length that is not there', () => {
    expect(() => credit.aggregationWeights(batch, 'constant-length')).toThrow(RangeError);
    expect(() => credit.aggregationWeights(batch, 'constant-length', 0)).toThrow(RangeError);
  });

  it('is 0 everywhere without sampled tokens', () => {
    const empty = { ...batch, mask: new Uint8Array(batch.mask.length) };
    expect(credit.aggregationWeights(empty, 'token-mean').every((weight) => weight === 0)).toBe(true);
  });
});
