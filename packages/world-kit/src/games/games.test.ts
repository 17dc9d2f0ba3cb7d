import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { findGameFiles, type GameLayout } from './find-game-files.js';
import { sortFolderTasks, type FolderTask } from './folder-tasks.js';

function folderOf(...files: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-games-'));
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), '');
  }
  return folder;
}

const layout: GameLayout<'train' | 'test'> = {
  isGame: (name) => name.endsWith('.game'),
  splitFolders: { train: 'train', held: 'test' },
  depth: 2,
  kind: 'files that end in .game',
};
const namesIn = (folder: string, depth = layout.depth) =>
  findGameFiles(folder, { ...layout, depth }).map(({ name, split }) => [name, split]);

describe('the games of a folder', () => {
  it('are those in it and below it, without hidden folders', () => {
    const folder = folderOf('b.game', 'a/c.game', 'a/d/e.game', 'a/d/f/deep.game', '.git/x.game', 'notes.txt');
    expect(namesIn(folder)).toEqual([
      ['a/c.game', undefined],
      ['a/d/e.game', undefined],
      ['b.game', undefined],
    ]);
    expect(namesIn(folder, 0)).toEqual([['b.game', undefined]]);
    expect(findGameFiles(folder, layout)[0]!.path).toBe(join(folder, 'a', 'c.game'));
  });

  it('have the splits of their folders, however deep these are, and names that begin there', () => {
    const folder = folderOf('v2/train/a.game', 'v2/held/one/b.game', 'v2/held/train/c.game');
    expect(namesIn(folder, 3)).toEqual([
      ['held/one/b.game', 'test'],
      ['held/train/c.game', 'test'],
      ['train/a.game', 'train'],
    ]);
  });

  it('may be one game', () => {
    const folder = folderOf('a.game', 'b.game');
    expect(namesIn(join(folder, 'b.game'))).toEqual([['b.game', undefined]]);
  });

  it('are found through links, and no folder is taken for a game', () => {
    const folder = folderOf('train/a.game');
    symlinkSync(join(folder, 'train'), join(folder, 'held'));
    symlinkSync('nothing', join(folder, 'lost'));
    mkdirSync(join(folder, 'folder.game'));
    expect(namesIn(folder)).toEqual([
      ['held/a.game', 'test'],
      ['train/a.game', 'train'],
    ]);
  });

  it.each<[string, () => string, RegExp]>([
    ['has none', () => folderOf('a.txt'), /has no games: files that end in \.game$/],
    ['is missing', () => join(folderOf(), 'none'), /^the folder of games cannot be read: ENOENT/],
    ['is a file', () => join(folderOf('a.txt'), 'a.txt'), /^the folder of games cannot be read: ENOTDIR/],
    [
      'mixes both',
      () => folderOf('a.game', 'train/b.game', 'held/c.game'),
      /has games and folders of splits \(held, train\): move the games into the folders$/,
    ],
  ])('are an error if it %s', (_, folder, message) => {
    expect(() => findGameFiles(folder(), layout)).toThrow(message);
  });

  it('are an error if one is a link to nothing', () => {
    const folder = folderOf('a.game');
    symlinkSync('none', join(folder, 'b.game'));
    expect(() => findGameFiles(folder, layout)).toThrow(/ENOENT.*b\.game/);
  });
});

describe('the tasks of a folder', () => {
  const game = (split: 'train' | 'test', cluster?: string): FolderTask<string> => ({
    file: `${split}-${cluster}.game`,
    split,
    about: { ...(cluster !== undefined && { cluster }) },
  });

  it('are in their splits, in the given order', () => {
    const tasks = sortFolderTasks(
      new Map([
        ['b', game('train', 'x')],
        ['a', game('train', 'y')],
        ['c', game('test')],
      ]),
    );
    expect([tasks.splits.train.id(0), tasks.splits.train.id(1), tasks.splits.test.id(0)]).toEqual(['b', 'a', 'c']);
    expect(tasks.splits.validation.count).toBe(0);
    expect(tasks.sharesClusters).toBe(false);
    expect([tasks.about('a'), tasks.fileOf('a')]).toEqual([{ cluster: 'y' }, 'train-y.game']);
    for (const ask of [tasks.about, tasks.fileOf]) {
      expect(() => ask('z')).toThrow('"z" is not a game of the folder; ids look like b');
    }
  });

  it('share clusters if one has games in two splits', () => {
    const tasks = [game('train', 'x'), game('train', 'x'), game('test', 'x')].map(
      (one, id) => [String(id), one] as const,
    );
    expect(sortFolderTasks(new Map(tasks)).sharesClusters).toBe(true);
    expect(sortFolderTasks(new Map(tasks.slice(0, 2))).sharesClusters).toBe(false);
  });
});
