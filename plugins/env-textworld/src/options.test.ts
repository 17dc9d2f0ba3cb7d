import { describe, expect, it } from 'vitest';

import { plain } from './fixtures/play.js';
import { validate, type Options } from './options.js';

/** Of findings that are more than a remark: what they say and what to do. */
const errorsOf = (options: Partial<Options>) =>
  validate({ ...plain, ...options })
    .filter(({ idle }) => idle !== true)
    .map(({ path, message, hint }) => [path.join('.'), message, hint]);

const idleOf = (options: Partial<Options>) =>
  validate({ ...plain, ...options }).flatMap(({ path, idle }) => (idle === true ? path : []));

describe('options that contradict each other', () => {
  it.each<[Partial<Options>, string, string, string]>([
    [
      { game: 'treasure-hunter', level: 31 },
      'level',
      'treasure-hunter has the levels 1 to 30',
      'Write level: 30 or less.',
    ],
    [
      { game: 'cooking', recipe: 2, take: 3 },
      'take',
      "take: 3 is more than the recipe's 2 ingredients",
      'Write take: 2 or less, or a larger recipe.',
    ],
    [{ game: 'cooking', go: 7 }, 'go', 'cooking games have 1, 6, 9 or 12 places, not 7', 'Write go: 6, for example.'],
    [{ game: 'files' }, 'games', 'game: files needs a folder', 'Write games: FOLDER.'],
    [{ game: 'files', games: '' }, 'games', 'game: files needs a folder', 'Write games: FOLDER.'],
  ])('are named with a cure: %j', (options, ...finding) => {
    expect(errorsOf(options)).toEqual([finding]);
  });

  it.each<Partial<Options>>([
    {},
    { game: 'simple' },
    { game: 'coin-collector', level: 300 },
    { game: 'treasure-hunter', level: 30 },
    { game: 'cooking', recipe: 5, take: 5, go: 12, open: true, cook: true, cut: true, drop: true, foods: 'split' },
    { game: 'files', games: 'folder', play: 'story' },
    // What has no effect need not fit either.
    { game: 'custom', level: 31, take: 5, go: 7 },
  ])('are none of %j', (options) => {
    expect(errorsOf(options)).toEqual([]);
  });
});

it('tells which options have no effect, and for which games they have one', () => {
  expect(idleOf({})).toEqual([
    ...['rewards', 'goal', 'level', 'recipe', 'take', 'go', 'open', 'cook', 'cut', 'drop', 'foods', 'games', 'play'],
  ]);
  expect(idleOf({ game: 'files', games: 'folder' })).toContain('splits');
  expect(idleOf({ game: 'treasure-hunter' })).not.toContain('instructions');
  expect(validate(plain).find(({ path }) => path[0] === 'level')).toEqual({
    path: ['level'],
    message: 'level has no effect with game: custom',
    hint: 'Remove level, or write game: coin-collector or treasure-hunter.',
    idle: true,
  });
});
