import { expect, it } from 'vitest';

import { chanceOfSignal, signalOfGroups } from './signal-of-groups.js';

/** The share of all groups of this size whose returns are not all equal, by enumeration. */
function enumerated(returns: readonly number[], size: number): number {
  let [signal, all] = [0, 0];
  for (let set = 0; set < 2 ** returns.length; set += 1) {
    const group = returns.filter((_, index) => (set >> index) % 2 === 1);
    if (group.length !== size) continue;
    all += 1;
    signal += Number(new Set(group).size > 1);
  }
  return signal / all;
}

it.each([
  [[0, 0, 1, 1, 0.5, 0], 3],
  [[0, 1, 1, 1, 1, 1, 1], 4],
  [[0.1, 0.2, 0.3, 0.4], 2],
  [[1, 1, 1, 1], 2],
  [[0, 1], 1],
])('is the share of all groups of %j', (returns, size) => {
  expect(chanceOfSignal(returns, size)).toBeCloseTo(enumerated(returns, size), 12);
});

it('comes to 1 - p^G - (1-p)^G over many draws of a task', () => {
  // All outcomes of 6 episodes at p = 0.3, weighted by their chance: unbiased means exact here.
  const [p, size, episodes] = [0.3, 4, 6];
  let expected = 0;
  for (let set = 0; set < 2 ** episodes; set += 1) {
    const returns = Array.from({ length: episodes }, (_, index) => (set >> index) % 2);
    const wins = returns.reduce((sum, value) => sum + value, 0);
    expected += p ** wins * (1 - p) ** (episodes - wins) * chanceOfSignal(returns, size);
  }
  expect(expected).toBeCloseTo(1 - p ** size - (1 - p) ** size, 12);
});

it('takes returns that differ by rounding for equal, and refuses groups that were not played', () => {
  expect(chanceOfSignal([0.3, 0.1 + 0.2], 2)).toBe(0);
  expect(() => chanceOfSignal([0, 1], 3)).toThrow(RangeError);
  expect(
    signalOfGroups(
      [
        [0, 1],
        [1, 1],
      ],
      2,
    ),
  ).toBe(0.5);
});
