import { expect, test } from 'vitest';

import { splitRequests } from './split-requests.js';

const token = Array.from({ length: 4000 }, () => 1);
const request = (sequence: string, length: number) => ({
  sequence,
  tokens: token.slice(0, length),
  endIds: [],
  maxTokens: 16,
  draws: new Float64Array(16),
});
const several = (name: string, count: number, length: number) =>
  Array.from({ length: count }, (_, index) => request(`${name}${index}`, length));

test.each([
  [8, 2, [4, 4]],
  [5, 2, [3, 2]],
  [1, 2, [1, 0]],
  [7, 3, [2, 2, 3]],
])('%i new sequences of one length for %i cores are divided into %j, neighbours together', (count, cores, sizes) => {
  const shares = splitRequests(several('new', count, 40), cores, new Map());
  expect(shares.map(({ length }) => length)).toEqual(sizes);
  expect(shares.flat()).toEqual(Array.from({ length: count }, (_, index) => index));
});

test('a sequence stays on its core, whatever the load', () => {
  const homes = new Map([
    ['old0', 1],
    ['old1', 1],
    ['old2', 1],
  ]);
  expect(splitRequests([...several('old', 3, 900), request('new', 5)], 2, homes)).toEqual([[3], [0, 1, 2]]);
  expect(homes.get('new')).toBe(0);
});

test('short sequences that come and go leave long ones on both cores', () => {
  const homes = new Map<string, number>();
  const long: string[] = [];
  const lengths = new Map<string, number>();
  for (let round = 0; round < 120; round += 1) {
    // A group of long sequences joins now and then, between short ones that last for two rounds.
    if (round % 20 === 0) {
      for (let index = 0; index < 16; index += 1) {
        const name = `long${round}.${index}`;
        long.push(name);
        lengths.set(name, 30);
      }
    }
    const short = [...several(`short${round}.`, 20, 30), ...several(`short${round - 1}.`, 20, 46)];
    splitRequests([...long.map((name) => request(name, lengths.get(name)!)), ...short.toReversed()], 2, homes);
    for (const name of long) lengths.set(name, lengths.get(name)! + 16);
    for (const { sequence } of several(`short${round - 1}.`, 20, 1)) homes.delete(sequence);
  }
  const tokens = [0, 0];
  for (const name of long) tokens[homes.get(name)!]! += lengths.get(name)!;
  expect(Math.max(...tokens) / Math.min(...tokens)).toBeLessThan(1.5);
});
