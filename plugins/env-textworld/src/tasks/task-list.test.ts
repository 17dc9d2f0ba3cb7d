import { testHost } from '@agentgym/cli/testing';
import { splitNames, splitOfDigest } from '@agentgym/world-kit';
import { describe, expect, it } from 'vitest';

import { drawId, idsAt, openBook } from '../fixtures/play.js';
import type { GameKind, Options } from '../options.js';
import { largestSeed, listByStructure } from './task-list.js';

type Setting = { [Name in GameKind]: readonly [kind: Name, options?: Partial<Options<Name>>] }[GameKind];
const openWith = ([kind, options]: Setting) => openBook<GameKind>(kind, options);
const places = Array.from({ length: 12 }, (_, place) => place);

const settings: readonly (readonly [string, Setting])[] = [
  ['custom games', ['custom']],
  ['custom games of more rooms', ['custom', { rooms: 4, objects: 6, questLength: 8 }]],
  ['custom games that tell the last step', ['custom', { instructions: 'last' }]],
  ['treasures', ['treasure-hunter', { level: 5 }]],
  ['cooking', ['cooking', { recipe: 2, take: 1, go: 6, cook: true }]],
  ['cooking with foods of splits', ['cooking', { recipe: 2, take: 2, cut: true, foods: 'split' }]],
];

describe.each(settings)('splits by structure: %s', (_name, setting) => {
  it('hold the tasks whose puzzles belong to them, and share no puzzle', () => {
    const book = openWith(setting);
    expect(book.sharesClusters).toBe(false);
    const { random } = testHost(1);
    const home = new Map<string, string>();
    for (const split of splitNames) {
      const source = book.splits[split];
      expect(source.count).toBe('unbounded');
      const ids = idsAt(source, [...places, 10 ** 6]);
      expect(new Set(ids).size).toBe(ids.length);
      for (const id of [...ids, ...places.slice(0, 4).map(() => drawId(source, random))]) {
        const cluster = book.about(id).cluster!;
        expect(splitOfDigest(cluster)).toBe(split);
        expect(home.get(cluster) ?? split).toBe(split);
        home.set(cluster, split);
      }
    }
    expect(home.size).toBeGreaterThan(splitNames.length);
  });

  it('are the same in a second world, whatever was asked before', () => {
    const [first, second] = [openWith(setting), openWith(setting)];
    for (const split of splitNames) {
      const ids = idsAt(first.splits[split], places.slice(0, 5));
      const later = places.slice(0, 5).reverse();
      expect(idsAt(second.splits[split], later).toReversed()).toEqual(ids);
      expect(first.splits[split].random!(testHost(3).random)).toBe(second.splits[split].random!(testHost(3).random));
      for (const id of ids.slice(0, 2)) {
        expect(second.about(id)).toEqual(first.about(id));
        const [one, other] = [first, second].map((book) => book.read(id));
        expect(one!.id).toBe(id);
        expect(one!.begin().remaining()?.actions).toBeGreaterThan(0);
        expect(other!.begin().start()).toBe(one!.begin().start());
      }
    }
  });
});

describe('a list by structure', () => {
  /** The last digit of a seed is its puzzle: 0 to 2 and 5 to 7 are for training. */
  const digits = { prefix: () => 'd/', clusterOf: (id: string) => `0000000${id.at(-1)}`.padEnd(16, '0') };

  it('gives each place a block of seeds', () => {
    const { train, validation, test } = listByStructure(digits);
    expect([train, validation, test].map(({ id }) => [id(0), id(1), id(2)])).toEqual([
      ['d/0', 'd/65', 'd/130'],
      ['d/3', 'd/68', 'd/128'],
      ['d/4', 'd/64', 'd/129'],
    ]);
  });

  it('knows no seed beyond the largest, at whatever place', () => {
    const { train, test } = listByStructure(digits);
    for (const place of [2 ** 26 - 1, 2 ** 26, 2 ** 27 - 1, 2 ** 40 - 1, 10 ** 13]) {
      for (const source of [train, test]) {
        const seed = Number(idsAt(source, [place])[0]!.slice(2));
        expect(Number.isSafeInteger(seed) && seed >= 0 && seed <= largestSeed, `${place}: ${seed}`).toBe(true);
      }
    }
    expect(train.id(2 ** 26)).toBe(train.id(0));
  });

  it('searches far away where the block of a place has no game of the split', () => {
    const eighth = 2 ** 29;
    const clusterOf = (id: string) => (id === `d/${2 * eighth + 64 + 5}` ? '00000004' : '00000000').padEnd(16, '0');
    const { test, train } = listByStructure({ ...digits, clusterOf });
    expect([test.id(1), train.id(1)]).toEqual([`d/${2 * eighth + 69}`, 'd/64']);
    expect(() => test.id(2)).toThrow('none of 512 games like d/128 belongs to the split test');
  });

  it('has a cooking game at every place, also where a block of 64 has none of the split', () => {
    const { splits, about } = openWith(['cooking']);
    const [id] = idsAt(splits.validation, [1985]);
    expect(Number(id!.split('/')[1])).toBeGreaterThan(2 ** 29);
    expect(splitOfDigest(about(id!).cluster!)).toBe('validation');
  });

  it('passes over seeds without a game, and says what to do where a split has none', () => {
    const { train, test } = listByStructure({
      ...digits,
      clusterOf: (id) => (id === 'd/0' ? '' : '0'.repeat(16)),
    });
    expect(train.id(0)).toBe('d/1');
    expect(() => test.id(2)).toThrow('none of 512 games like d/128 belongs to the split test');
    expect(() => test.random(testHost().random)).toThrow('Use splits: seeds, or a larger world.');
  });
});

describe('splits by seeds', () => {
  it.each<[string, Setting]>([
    ['w2-o3-q4/', ['custom', { splits: 'seeds' }]],
    ['simple-dense-detailed/', ['simple']],
    ['coin-collector-1/', ['coin-collector']],
  ])('have the seeds of the Guide: %s', (prefix, setting) => {
    const { splits, sharesClusters, read } = openWith(setting);
    expect(sharesClusters).toBe(true);
    expect(splits.train.count).toBe('unbounded');
    // The first hundred test seeds are those of the Guide; no split reaches the seeds of the next.
    const [tests, validations] = [splits.test.count as number, splits.validation.count as number];
    expect(tests >= 100 && tests <= 40_000 && validations >= 100 && validations <= 10_000).toBe(true);
    expect(idsAt(splits.test, [0, tests - 1])).toEqual([`${prefix}1`, `${prefix}${tests}`]);
    expect(idsAt(splits.validation, [0, validations - 1])).toEqual([
      `${prefix}40001`,
      `${prefix}${40_000 + validations}`,
    ]);
    expect(splits.train.id(0)).toBe(`${prefix}50001`);
    expect(Number(idsAt(splits.train, [10 ** 12])[0]!.slice(prefix.length))).toBeLessThanOrEqual(largestSeed);
    const { random } = testHost(2);
    const drawn = splitNames.map((split) =>
      Array.from({ length: 200 }, () => Number(drawId(splits[split], random).slice(prefix.length))),
    );
    const within = (seeds: readonly number[], least: number, most: number) =>
      seeds.every((seed) => seed >= least && seed <= most);
    expect(within(drawn[0]!, 50_001, largestSeed)).toBe(true);
    expect(within(drawn[1]!, 40_001, 40_000 + validations)).toBe(true);
    expect(within(drawn[2]!, 1, tests)).toBe(true);
    expect(read(`${prefix}1`).id).toBe(`${prefix}1`);
  });

  it('keep the foods of cooking games apart all the same', () => {
    const { splits, about } = openWith(['cooking', { splits: 'seeds', foods: 'split' }]);
    const [id] = idsAt(splits.test, [16]);
    expect(id).toBe('cooking-recipe1-take0-go1-split/test-17');
    expect(about(id!).cluster).toBeDefined();
  });
});

describe('ids', () => {
  it.each<[string, Setting]>([
    ['w2-o3-q5/17', ['custom']],
    ['w2-o3-q4-last/17', ['custom']],
    ['w2-o3-q4/17', ['custom', { instructions: 'last' }]],
    ['w2-o3-q4/017', ['custom']],
    ['w2-o3-q4/-1', ['custom']],
    ['w2-o3-q4/1.5', ['custom']],
    ['w2-o3-q4/1e3', ['custom']],
    ['w2-o3-q4/4294967296', ['custom']],
    ['w2-o3-q4/99999999999', ['custom']],
    ['w2-o3-q4/17\n', ['custom']],
    [' w2-o3-q4/17', ['custom']],
    ['W2-O3-Q4/17', ['custom']],
    ['w2-o3-q4/', ['custom']],
    ['w2-o3-q4/train-17', ['custom']],
    ['depth-2/ladder', ['custom']],
    ['', ['custom']],
    ['constructor', ['custom']],
    ['simple-dense-brief/17', ['simple']],
    ['coin-collector-2/17', ['coin-collector']],
    ['coin-collector-1/17', ['treasure-hunter']],
    ['cooking-recipe1-take0-go1/17', ['cooking', { foods: 'split' }]],
    ['cooking-recipe1-take0-go1-split/valid-17', ['cooking', { foods: 'split' }]],
    ['cooking-recipe1-take0-go1/train-17', ['cooking']],
  ])('of other tasks are refused: %j of %j', (id, setting) => {
    const { about, read } = openWith(setting);
    for (const ask of [about, read]) {
      expect(() => ask(id)).toThrow(`${JSON.stringify(id)} is not a task of these options; ids look like `);
    }
  });

  it('are cut in the message if they are long', () => {
    const { about } = openWith(['custom']);
    expect(() => about('w'.repeat(10 ** 6))).toThrow(
      /^"w{100}" is not a task of these options; ids look like w2-o3-q4\/17$/,
    );
  });

  it('have any seed of 32 bits', () => {
    const { about, read } = openWith(['custom']);
    for (const id of ['w2-o3-q4/0', `w2-o3-q4/${largestSeed}`]) {
      expect(about(id).labels).toMatchObject({ rooms: 2 });
      expect(read(id).id).toBe(id);
    }
  });

  it('do not exist where the generator refuses the options: it says why', () => {
    expect(() => openWith(['cooking', { go: 7 }])).toThrow('go must be 1, 6, 9 or 12 rooms, not 7.');
  });
});
