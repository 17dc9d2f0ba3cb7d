import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { testHost } from '@agentgym/cli/testing';
import { splitNames, splitOfDigest, type TaskBook } from '@agentgym/world-kit';
import { describe, expect, it } from 'vitest';

import { idsAt, make, openBook } from '../fixtures/play.js';
import { findGames } from './find-games.js';
import { chestJson, chestStory, gameFolder, takeFood, takeThing } from './fixtures/game-folder.js';
import type { Task } from './task.js';

const openFolder = (games: string) => openBook('files', { games });
const idsOf = ({ splits }: TaskBook<Task>) =>
  Object.fromEntries(
    splitNames.map((split) => {
      const places = Array.from({ length: splits[split].count as number }, (_, place) => place);
      return [split, idsAt(splits[split], places)] as const;
    }),
  );

const makePipe = 'mkfifo';

describe('the games of a folder', () => {
  it('are those in folders of splits, under the names of TextWorld or of agentgym', () => {
    const games = gameFolder({
      'train/b c.json': takeFood,
      'train/a.json': takeThing,
      'train/deeper/none.json': takeFood,
      'valid/v.json': takeFood,
      'validation/w.z8': chestStory,
      'test/x.json': takeThing,
      'notes.txt': 'none',
    });
    const book = openFolder(games);
    expect(idsOf(book)).toEqual({
      train: ['games/train/a', 'games/train/b c'],
      validation: ['games/valid/v', 'games/validation/w'],
      test: ['games/test/x'],
    });
    // A puzzle of two splits: the same game lies in both folders.
    expect(book.sharesClusters).toBe(true);
    const { random } = testHost(1);
    expect(idsOf(book)['train']).toContain(book.splits.train.random!(random));
    expect(book.read('games/train/b c').begin().remaining()).toEqual({ actions: 2, deeds: 1 });
  });

  it('belong to the splits of their puzzles without such folders', () => {
    const book = openFolder(
      gameFolder({ 'a.json': takeFood, 'b.json': takeThing, 'c.json': chestJson, 'd.json': takeFood }),
    );
    const ids = idsOf(book);
    for (const split of splitNames) {
      for (const id of ids[split]!) expect(splitOfDigest(book.about(id).cluster!)).toBe(split);
    }
    expect(Object.values(ids).flat().sort()).toEqual(['games/a', 'games/b', 'games/c', 'games/d']);
    expect(book.about('games/a')).toEqual(book.about('games/d'));
    expect(book.about('games/a').cluster).not.toBe(book.about('games/b').cluster);
    expect(book.sharesClusters).toBe(false);
  });

  it('share no puzzle if each folder has its own', () => {
    const book = openFolder(gameFolder({ 'train/a.json': takeFood, 'test/b.json': takeThing }));
    expect(book.sharesClusters).toBe(false);
    expect(book.splits.validation.count).toBe(0);
  });

  it('with a .json and a story of one name are one game, played as the options say', () => {
    const files = { 'chest.json': chestJson, 'chest.z8': chestStory, 'chest 2.z8': chestStory };
    const folder = gameFolder(files);
    expect(findGames(folder)).toEqual([
      { name: 'chest 2', story: join(folder, 'chest 2.z8') },
      { name: 'chest', json: join(folder, 'chest.json'), story: join(folder, 'chest.z8') },
    ]);
    // The engine tells the room in words of its own; a story without its .json has no list of actions.
    const [engine, story] = (['engine', 'story'] as const).map((play) => {
      const environment = make('files', { games: folder, play });
      const first = environment.reset('games/chest');
      return { first, commands: environment.admissible(), reply: environment.step('open chest').observation };
    });
    expect(story!.first).toContain('You are in a vault. A chest is here.');
    expect(engine!.first).not.toContain('You are in a vault. A chest is here.');
    expect(story!.commands).toEqual(engine!.commands);
    const lone = make('files', { games: folder });
    expect(lone.reset('games/chest 2')).toContain('You are in a vault.');
    expect(lone.admissible()).toEqual([]);
    expect(openFolder(folder).about('games/chest 2')).toEqual({
      cluster: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
    });
  });

  it('may be several hundred', () => {
    const names = Array.from({ length: 300 }, (_, number) => `game-${number}`);
    const folder = gameFolder(Object.fromEntries(names.map((name) => [`test/${name}.json`, takeFood])));
    const book = openFolder(folder);
    expect(idsOf(book)['test']).toEqual(names.map((name) => `games/test/${name}`).sort());
    // More games than stay in memory.
    for (const name of [...names.slice(0, 66), names[0]])
      expect(book.read(`games/test/${name}`).id).toBe(`games/test/${name}`);
  });

  it('have the same ids each time', () => {
    const folder = gameFolder({ 'b.json': takeFood, 'a.json': takeThing, 'c.z8': chestStory });
    expect(idsOf(openFolder(folder))).toEqual(idsOf(openFolder(folder)));
  });

  it.each(['games/none', 'games/../a', 'w2-o3-q4/17', '', 'games/a\n', '__proto__'])('are not asked for %j', (id) => {
    const book = openFolder(gameFolder({ 'a.json': takeFood }));
    for (const ask of [book.read, book.about]) {
      expect(() => ask(id)).toThrow(`${JSON.stringify(id)} is not a game of the folder; ids look like games/a`);
    }
  });
});

describe('a folder that has no games to play', () => {
  it.each<[string, () => string, RegExp]>([
    ['is empty', () => gameFolder({}), /has no games: files that end in \.json or \.z8$/],
    ['is missing', () => join(gameFolder({}), 'none'), /^the folder of games cannot be read: ENOENT.*none/],
    [
      'is a file',
      () => join(gameFolder({ 'a.txt': takeFood }), 'a.txt'),
      /^the folder of games cannot be read: ENOTDIR/,
    ],
    ['has other files', () => gameFolder({ 'a.txt': 'a', 'b.ulx': 'b', 'deeper/a.json': takeFood }), /has no games/],
    [
      'has empty folders of splits',
      () => {
        const folder = gameFolder({});
        mkdirSync(join(folder, 'train'));
        return folder;
      },
      /has no games/,
    ],
    [
      'mixes both',
      () => gameFolder({ 'train/a.json': takeFood, 'a.json': takeFood }),
      /has games and folders of splits \(train\)/,
    ],
  ])('%s', (_, folder, message) => {
    expect(() => openFolder(folder())).toThrow(message);
  });
});

describe('links', () => {
  it('lead to games and folders', () => {
    const elsewhere = gameFolder({ 'a.json': takeFood });
    const folder = gameFolder({});
    symlinkSync(elsewhere, join(folder, 'train'));
    symlinkSync(folder, join(elsewhere, 'round'));
    expect(idsOf(openFolder(folder))['train']).toEqual(['games/train/a']);
  });

  it.each([
    ['in a loop', 'a.json', 'a.json', /ELOOP.*a\.json/],
    ['in a loop of folders', 'train', 'train', /ELOOP.*train/],
    ['to nothing', 'a.json', 'none', /ENOENT.*a\.json/],
    ['to what has no end', 'a.json', '/dev/zero', /a\.json is a (device|pipe), not a file/],
  ])('%s are refused', (_, name, target, message) => {
    const folder = gameFolder({});
    symlinkSync(target, join(folder, name));
    expect(() => openFolder(folder)).toThrow(message);
  });

  it('to pipes are refused', () => {
    const folder = gameFolder({});
    execFileSync(makePipe, [join(folder, 'a.json')]);
    expect(() => openFolder(folder)).toThrow(/a\.json is a (device|pipe), not a file/);
  });

  it('that no game needs may lead nowhere', () => {
    const folder = gameFolder({ 'a.json': takeFood });
    symlinkSync('none', join(folder, 'notes.txt'));
    writeFileSync(join(folder, '.hidden'), '');
    expect(Object.values(idsOf(openFolder(folder))).flat()).toEqual(['games/a']);
  });
});
