import type { Algorithm, JsonObject, TrainingBatch } from '@agentgym/cli';
import { optionDefaults, testHost } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { awkward, batchOf, slowReturns, turn, type Token } from './fixtures/episodes.js';
import { options, type Options } from './options.js';
import { create } from './reinforce.js';

const reinforce = (chosen: Partial<Options> = {}): Algorithm =>
  create({ ...optionDefaults(options), ...chosen }, testHost());

function expectClose(actual: Float64Array, expected: ReadonlyMap<number, number>, digits = 12): void {
  actual.forEach((value, index) => expect(value).toBeCloseTo(expected.get(index) ?? 0, digits));
}

describe('the returns of REINFORCE', () => {
  // Goes red when an observation token discounts, when a reward counts for tokens after it, or when one discount is
  // read for the other.
  it.each([
    [1, 1],
    [1, 0.9],
    [0.8, 1],
    [0.95, 0.5],
    [0, 0],
  ])('discounted by %d per token and %d per turn are those of a double sum', (tokenDiscount, turnDiscount) => {
    const { batch, tokens } = batchOf(awkward);
    const { advantages } = reinforce({ tokenDiscount, turnDiscount }).advantages(batch, {});
    expectClose(advantages, slowReturns(tokens, tokenDiscount, turnDiscount));
  });

  // Goes red when the penalty counts for the tokens after it, has the other sign, or is only on the last token of a
  // turn.
  it.each(['none', 'turns'] as const)('pay for the divergence of each token, with normalize: %s', (normalize) => {
    const { batch, tokens } = batchOf(awkward);
    const algorithm = reinforce({ klCoefficient: 0.5, turnDiscount: 0.9, normalize });
    const paid = tokens.map((row) =>
      row.map((token) => {
        const d = batch.logprobs[token.index]! - batch.referenceLogprobs![token.index]!;
        return { ...token, reward: token.reward - 0.5 * d };
      }),
    );
    const returns = slowReturns(paid, 1, 0.9);
    if (normalize === 'turns') {
      // A turn is one action: all its tokens have the return from its first token on.
      for (const token of paid.flat().toReversed()) {
        const first = paid.flat().find((other) => other.turn === token.turn && sameRow(batch, other, token))!;
        returns.set(token.index, returns.get(first.index)!);
      }
      normalise(returns, paid, 'population');
    }
    expectClose(algorithm.advantages(batch, {}).advantages, returns, 10);
    expect(algorithm.roles).toEqual(['reference']);
  });
});

const sameRow = ({ width }: TrainingBatch, a: Token, b: Token): boolean =>
  Math.floor(a.index / width) === Math.floor(b.index / width);

/** Replaces returns by (G - mean) / deviation over turns, each counted once, by its last token. */
function normalise(returns: Map<number, number>, tokens: Token[][], deviation: 'population' | 'sample'): void {
  const ends = tokens.flatMap((row) => row.filter(({ turn: number }, i) => row[i + 1]?.turn !== number));
  let mean = 0;
  for (const { index } of ends) mean += returns.get(index)! / ends.length;
  let squares = 0;
  for (const { index } of ends) squares += (returns.get(index)! - mean) ** 2;
  const divisor = Math.sqrt(squares / (deviation === 'sample' ? ends.length - 1 : ends.length));
  for (const [index, value] of returns) returns.set(index, (value - mean) / divisor);
}

describe('return batch normalisation', () => {
  // Goes red when a turn counts once per token, or when one deviation is read for the other.
  it.each(['population', 'sample'] as const)('counts every turn once: %s', (deviation) => {
    const { batch, tokens } = batchOf(awkward);
    const expected = slowReturns(tokens, 1, 0.9);
    normalise(expected, tokens, deviation);
    const { advantages } = reinforce({ normalize: 'turns', turnDiscount: 0.9, deviation }).advantages(batch, {});
    expectClose(advantages, expected);
  });

  // Goes red when the epsilon is added to the deviation.
  it('adds the epsilon to the variance', () => {
    const { batch } = batchOf([
      { turns: [turn(0, 1, 3)], group: 0 },
      { turns: [turn(0, 2, 1)], group: 0 },
    ]);
    const { advantages } = reinforce({ normalize: 'turns', varianceEpsilon: 3 }).advantages(batch, {});
    expect([...new Set(advantages)].sort()).toEqual([-0.5, 0, 0.5]);
  });

  // Goes red when noSignalBelow is not read: the last bits of a sum become advantages of 1.
  it.each([[[1, 1]], [[0.1 + 0.2 + 0.4, 0.7]], [[0.4]]])('makes no signal of the returns %j', (returns) => {
    const { batch } = batchOf(returns.map((reward, group) => ({ turns: [turn(0, 2, reward)], group })));
    expect(
      reinforce({ normalize: 'turns' })
        .advantages(batch, {})
        .advantages.every((a) => a === 0),
    ).toBe(true);
  });

  // Goes red when returns are normalised before the baseline is subtracted.
  it('normalises what a baseline leaves', () => {
    const { batch, tokens } = batchOf(awkward);
    const expected = slowReturns(tokens, 1, 1);
    for (const { index } of tokens.flat()) {
      expected.set(index, expected.get(index)! - batch.greedyReturn![Math.floor(index / batch.width)]!);
    }
    normalise(expected, tokens, 'population');
    expectClose(reinforce({ normalize: 'turns', baseline: 'greedy' }).advantages(batch, {}).advantages, expected);
  });
});

describe('the greedy baseline', () => {
  // Goes red when the baseline of another row is subtracted, or when it is discounted.
  it("subtracts the return of the task's greedy episode from every return to go", () => {
    const { batch, tokens } = batchOf(awkward);
    const expected = slowReturns(tokens, 1, 1);
    for (const { index } of tokens.flat()) {
      expected.set(index, expected.get(index)! - batch.greedyReturn![Math.floor(index / batch.width)]!);
    }
    const { advantages, metrics } = reinforce({ baseline: 'greedy' }).advantages(batch, {});
    expectClose(advantages, expected);
    expect(metrics?.['greedy_return']).toBeCloseTo((0.3 + 0.3 - 0.7 - 0.7 - 1.7) / 5, 12);
  });

  // Goes red when the role is missing or always requested, or when a batch without the return is compared with 0.
  it('asks for greedy episodes, says so where there are none, and is the only one that asks', () => {
    const { greedyReturn: _, ...batch } = batchOf(awkward).batch;
    expect(reinforce({ baseline: 'greedy' }).roles).toEqual(['greedy']);
    expect(() => reinforce({ baseline: 'greedy' }).advantages(batch, {})).toThrow('greedyReturn');
    expect([reinforce().roles, reinforce({ baseline: 'moving' }).roles]).toEqual([[], []]);
  });
});

describe('the moving baseline', () => {
  /** Mean of the double sum at the first token of the turns with a number. Undefined if no row has such a turn. */
  function meanAt(number: number, tokens: Token[][]): number | undefined {
    const returns = slowReturns(tokens, 1, 0.9);
    const firsts = tokens.flatMap((row) => row.find((token) => token.turn === number) ?? []);
    if (firsts.length === 0) return undefined;
    return firsts.reduce((sum, { index }) => sum + returns.get(index)!, 0) / firsts.length;
  }

  // Goes red when the mean of a batch is in its own baseline, when means start at 0, when turns of all numbers share
  // one mean, or when a batch without a turn of a number changes the mean of that number.
  it('is an exponential mean of the batches before, for each number of a turn', () => {
    const algorithm = reinforce({ baseline: 'moving', movingDecay: 0.75, turnDiscount: 0.9 });
    const batches = [awkward.slice(1, 3), awkward, [awkward[1]!], awkward.slice(2)].map((rows) => batchOf(rows));
    let state: JsonObject = algorithm.initialState;
    for (const [i, { batch, tokens }] of batches.entries()) {
      const expected = slowReturns(tokens, 1, 0.9);
      for (const { index, turn: number } of tokens.flat()) {
        const before = batches.slice(0, i).flatMap((earlier) => meanAt(number, earlier.tokens) ?? []);
        // The weights: 0.75^(n-1) for the first mean, 0.25 * 0.75^k for the mean k batches before the last.
        let baseline = 0;
        for (const [j, mean] of before.entries()) {
          baseline += mean * (j === 0 ? 1 : 0.25) * 0.75 ** (before.length - 1 - j);
        }
        expected.set(index, expected.get(index)! - baseline);
      }
      const result = algorithm.advantages(batch, JSON.parse(JSON.stringify(state)) as JsonObject);
      expectClose(result.advantages, expected);
      state = result.state;
    }
  });
});
