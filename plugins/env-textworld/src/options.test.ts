import { expect, it } from 'vitest';

import { complete } from './fixtures/play.js';
import { validateCoins, validateCooking, validateFiles, type Options } from './options.js';

it.each<[Partial<Options<'cooking'>>, string, string, string]>([
  [
    { recipe: 2, take: 3 },
    'take',
    "take: 3 is more than the recipe's 2 ingredients",
    'Write take: 2 or less, or a larger recipe.',
  ],
  [{ go: 7 }, 'go', 'cooking games have 1, 6, 9 or 12 places, not 7', 'Write go: 6, for example.'],
])('options of cooking games that contradict each other are named with a cure: %j', (given, name, message, hint) => {
  expect(validateCooking(complete('cooking', given))).toEqual([{ path: [name], message, hint }]);
});

it('others are taken', () => {
  expect(validateCooking(complete('cooking'))).toEqual([]);
  const all = { recipe: 5, take: 5, go: 12, open: true, cook: true, cut: true, drop: true, foods: 'split' } as const;
  expect(validateCooking(complete('cooking', all))).toEqual([]);
  expect(validateFiles(complete('files', { games: 'folder', play: 'story' }))).toEqual([]);
});

it.each([{}, { games: '' }])('games of files need a folder: %j', (given) => {
  expect(validateFiles(complete('files', given))).toEqual([
    { path: ['games'], message: 'textworld-files needs a folder', hint: 'Write games: FOLDER.' },
  ]);
});

it('coins need maps to hold out', () => {
  const splits = 'structure' as const;
  for (const level of [1, 2]) {
    expect(validateCoins(complete('coin-collector', { level, splits }))).toEqual([
      {
        path: ['splits'],
        message: `level ${level} has too few maps to hold some out by structure`,
        hint: 'Write splits: seeds, or level: 3 or more.',
      },
    ]);
  }
  expect(validateCoins(complete('coin-collector', { level: 3, splits }))).toEqual([]);
  expect(validateCoins(complete('coin-collector'))).toEqual([]);
});
