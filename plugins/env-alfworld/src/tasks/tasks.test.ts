import { symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { testHost } from '@agentgym/cli/testing';
import { splitNames, type TaskBook } from '@agentgym/world-kit';
import { describe, expect, it } from 'vitest';

import { folderOf, idsAt, make, plain, smallGame } from '../fixtures/play.js';
import { taskKindNames } from '../generate/task-kinds.js';
import type { Options } from '../options.js';
import { findGames } from './find-games.js';
import { openTasks } from './open-tasks.js';
import type { Task } from './task.js';

const { files } = testHost();
const { log, random } = testHost(3);
const open = (options: Partial<Options> = {}) => openTasks({ ...plain, ...options }, { files, log });
const openFolder = (games: string, options: Partial<Options> = {}) => open({ game: 'files', games, ...options });
const first = Array.from({ length: 60 }, (_, place) => place);
const few = first.slice(0, 20);
const sceneOf = (id: string) => Number(/-(\d+)\/pick|-(\d+)\/look/.exec(id)?.slice(1).find(Boolean));

describe('generated tasks', () => {
  it('take turns in kinds, and are in rooms of their split', () => {
    const book = open();
    const scenes = splitNames.map((split) => {
      const ids = idsAt(book.splits[split], first);
      expect(ids.map((id) => id.split('/')[2])).toEqual(first.map((place) => taskKindNames[place % 6]));
      expect(new Set(ids).size).toBe(ids.length);
      return new Set(ids.map((id) => sceneOf(id) % 10));
    });
    expect(scenes.map((each) => [...each].sort())).toEqual([[0, 1, 2, 3, 4, 5, 6, 7], [8], [9]]);
    expect(book.sharesClusters).toBe(false);
  });

  it('have their room as cluster, and labels', () => {
    const book = open({ receptacles: 9, objects: 7 });
    const [id] = idsAt(book.splits.test, [3]);
    expect(id).toMatch(/^house-r9-o7\/kitchen-\d+\/pick_heat_then_place_in_recep\/11$/);
    const facts = book.about(id!);
    expect(facts.cluster).toBe(id!.split('/')[1]);
    expect(facts.labels).toEqual({
      task: 'pick_heat_then_place_in_recep',
      room: 'kitchen',
      scene: 'unseen',
      receptacles: 9,
      planLength: expect.any(Number),
    });
    expect(book.about(idsAt(book.splits.train, [0])[0]!).labels).toMatchObject({ scene: 'seen' });
  });

  it('may be in seen and in unseen rooms, and never the same in two splits', () => {
    const book = open({ heldOut: 'both' });
    expect(book.sharesClusters).toBe(true);
    const ids = Object.fromEntries(splitNames.map((split) => [split, idsAt(book.splits[split], few)]));
    for (const split of ['validation', 'test'] as const) {
      const labels = ids[split]!.map((id) => book.about(id).labels!['scene']);
      expect(labels.filter((label) => label === 'seen').length).toBeGreaterThan(4);
      expect(labels.filter((label) => label === 'unseen').length).toBeGreaterThan(4);
      for (const id of ids[split]!) expect(ids['train']).not.toContain(id);
    }
    expect(new Set(ids['train']!.map((id) => book.about(id).labels!['scene']))).toEqual(new Set(['seen']));
  });

  it('draw tasks of their split', () => {
    const { splits } = open({ tasks: ['pick_two_obj_and_place'], rooms: ['bathroom'], scenes: 10 });
    for (let draw = 0; draw < 20; draw += 1)
      expect(splits.validation.random!(random)).toMatch(/^house\/bathroom-8\/pick_two_obj_and_place\/\d+$/);
  });

  it.each([
    ...[
      '',
      'house',
      'house/kitchen-1',
      'house/kitchen-30/pick_and_place_simple/1',
      'house/garage-1/pick_and_place_simple/1',
    ],
    ...['house/bathroom-1/pick_heat_then_place_in_recep/1', 'house-r8/kitchen-1/pick_and_place_simple/1', '__proto__'],
    ...[
      'house/kitchen-01/pick_and_place_simple/1',
      'house/kitchen-1/pick_and_place_simple/-1',
      'house/kitchen-1/pick_and_place_simple/1\n',
    ],
  ])('do not have the id %j', (id) => {
    const book = open();
    for (const ask of [book.about, book.read]) {
      expect(() => ask(id)).toThrow(`${JSON.stringify(id)} is not a task of these options; ids look like house/`);
    }
  });
});

const idsOf = ({ splits }: TaskBook<Task>) =>
  Object.fromEntries(
    splitNames.map((split) => [
      split,
      idsAt(
        splits[split],
        Array.from({ length: splits[split].count as number }, (_, place) => place),
      ),
    ]),
  );
const published = (files: Record<string, string>) =>
  folderOf(Object.fromEntries(Object.entries(files).map(([path, text]) => [`json_2.1.1/${path}/game.tw-pddl`, text])));
const trajectory = JSON.stringify({ images: [], scene: { floor_plan: 'FloorPlan329' } });

describe('the games of a folder', () => {
  const games = published({
    'train/pick_heat-Mug-10/trial_1': smallGame(1),
    'train/pick_heat-Mug-10/trial_2': smallGame(2),
    'valid_seen/pick_heat-Mug-10/trial_3': smallGame(3),
    'valid_seen/pick_heat-Mug-10/trial_6': smallGame(6),
    'valid_unseen/pick_heat-Cup-203/trial_4': smallGame(4),
    'valid_unseen/pick_heat-Cup-203/trial_5': smallGame(5),
  });

  it('are in their published splits, with the scene of their name', () => {
    const book = openFolder(games);
    expect(idsOf(book)).toEqual({
      train: ['train/pick_heat-Mug-10/trial_1', 'train/pick_heat-Mug-10/trial_2'],
      validation: ['valid_seen/pick_heat-Mug-10/trial_3', 'valid_seen/pick_heat-Mug-10/trial_6'],
      test: ['valid_unseen/pick_heat-Cup-203/trial_4', 'valid_unseen/pick_heat-Cup-203/trial_5'],
    });
    expect(book.sharesClusters).toBe(true);
    expect(book.about('valid_seen/pick_heat-Mug-10/trial_3')).toMatchObject({
      cluster: 'FloorPlan10',
      labels: { task: 'pick_heat_then_place_in_recep', room: 'kitchen', scene: 'seen', receptacles: 6 },
    });
    expect(book.about('valid_unseen/pick_heat-Cup-203/trial_5')).toMatchObject({
      cluster: 'FloorPlan203',
      labels: { room: 'livingroom', scene: 'unseen' },
    });
    expect(book.read('train/pick_heat-Mug-10/trial_1').game.setting.ofType('receptacle')).toHaveLength(6);
  });

  it('from seen and unseen rooms are in both held-out splits, if that is asked for', () => {
    const many = published(
      Object.fromEntries(
        ['valid_seen', 'valid_unseen'].flatMap((split) =>
          Array.from({ length: 12 }, (_, seed) => [`${split}/task-1/trial_${seed}`, smallGame(1)]),
        ),
      ),
    );
    const { validation, test } = idsOf(openFolder(many, { heldOut: 'both' }));
    for (const ids of [validation!, test!]) {
      expect(new Set(ids.map((id) => id.split('/')[0]))).toEqual(new Set(['valid_seen', 'valid_unseen']));
    }
    expect([...validation!, ...test!]).toHaveLength(24);
  });

  it('have the scene of the traj_data.json beside them', () => {
    const folder = folderOf({
      'a/game.tw-pddl': smallGame(1),
      'a/traj_data.json': trajectory,
      'b/game.tw-pddl': smallGame(2),
      'b/traj_data.json': '{',
    });
    const book = openFolder(folder);
    expect(book.about('a')).toMatchObject({ cluster: 'FloorPlan329', labels: { room: 'bedroom' } });
    expect(book.about('b').cluster).toBeUndefined();
    expect(Object.values(idsOf(book)).flat().sort()).toEqual(['a', 'b']);
  });

  it('may be one file, which plays', () => {
    const folder = folderOf({ 'my-game.tw-pddl': smallGame(1) });
    const environment = make({ game: 'files', games: join(folder, 'my-game.tw-pddl') });
    expect(environment.reset('my-game')).toContain('Your task is to: ');
    expect(() => environment.reset('other')).toThrow('"other" is not a game of the folder; ids look like my-game');
  });

  it('may be chosen by kind of task', () => {
    expect(Object.values(idsOf(openFolder(games, { tasks: ['pick_heat_then_place_in_recep'] }))).flat()).toHaveLength(
      6,
    );
    expect(() => openFolder(games, { tasks: ['pick_two_obj_and_place'] })).toThrow('none of the 6 games in');
  });

  it('that cannot be won are left out and counted; alone, they are refused', () => {
    const messages: string[] = [];
    const unsolvable = JSON.stringify({ ...(JSON.parse(smallGame(1)) as object), solvable: false });
    const impossible = smallGame(2).replaceAll(/\(canContain /g, '(couldContain ');
    const folder = folderOf({
      'a/game.tw-pddl': unsolvable,
      'b/game.tw-pddl': smallGame(3),
      'c/game.tw-pddl': impossible,
    });
    const options = { ...plain, game: 'files', games: folder } as const;
    const say = (message: string) => void messages.push(message);
    const book = openTasks(options, { files, log: { info: say, warn: say } });
    expect(Object.values(idsOf(book)).flat()).toEqual(['b']);
    expect(messages).toEqual([
      expect.stringMatching(
        /^2 of 3 games are left out; the first is .*a.game\.tw-pddl: its makers found that it cannot be won/,
      ),
    ]);
    expect(() => openFolder(join(folder, 'c'))).toThrow(
      /c.game\.tw-pddl: the game cannot be won: what its goal asks for/,
    );
    expect(() => openFolder(join(folder, 'a', 'game.tw-pddl'))).toThrow('its makers found');
  });
});

describe('a folder is refused', () => {
  const broken = (text: string) => () =>
    openFolder(folderOf({ 'a/game.tw-pddl': smallGame(1), 'b/game.tw-pddl': text }));
  const without = (key: string) => JSON.stringify({ ...(JSON.parse(smallGame(1)) as object), [key]: undefined });

  it.each<[string, () => unknown, RegExp]>([
    ['that is missing', () => openFolder(join(folderOf({}), 'none')), /^the folder of games cannot be read: ENOENT/],
    [
      'that is empty',
      () => openFolder(folderOf({ 'a.txt': '' })),
      /has no games: files named game\.tw-pddl or \*\.tw-pddl$/,
    ],
    [
      'that mixes splits and other games',
      () => openFolder(folderOf({ 'train/a.tw-pddl': smallGame(1), 'b.tw-pddl': smallGame(1) })),
      /has games and folders of splits \(train\)/,
    ],
    ['with an empty file', broken(''), /b.game\.tw-pddl: line 1, column 1: no JSON/],
    ['with half a file', broken(smallGame(1).slice(0, 900)), /b.game\.tw-pddl: line 1, column \d+: no JSON/],
    ['with broken JSON', broken('{\n  "grammar": }'), /b.game\.tw-pddl: (line 2, column 14: )?no JSON/],
    ['with another JSON', broken('[]'), /b.game\.tw-pddl: not an object of JSON$/],
    [
      'without a grammar',
      broken(without('grammar')),
      /b.game\.tw-pddl: grammar: missing; a game has pddl_domain, grammar and pddl_problem$/,
    ],
    [
      'with a number for a problem',
      broken(JSON.stringify({ ...(JSON.parse(smallGame(1)) as object), pddl_problem: 3 })),
      /pddl_problem: not a text/,
    ],
    [
      'with broken PDDL',
      broken(smallGame(1).replace('(:init', '(:unit')),
      /b.game\.tw-pddl: pddl_problem: line \d+, column 1: \(:unit \.\.\.\) is not supported/,
    ],
    [
      'with a broken grammar',
      broken(smallGame(1).replaceAll('{r.name}', '{r.nam}')),
      /b.game\.tw-pddl: grammar: the text .* there is no field nam/,
    ],
  ])('%s', (_, read, message) => {
    expect(read).toThrow(message);
  });

  it('with a file of a gigabyte, before it is read', () => {
    const folder = folderOf({ 'a/game.tw-pddl': '' });
    truncateSync(join(folder, 'a', 'game.tw-pddl'), 2 ** 30);
    expect(() => openFolder(folder)).toThrow(/a.game\.tw-pddl has 1073741824 bytes; at most 16777216 are read/);
  });

  // Mutation: let `countTry` count nothing. Then this text has 2^40 words.
  it('with texts that double without end, or with too many words', () => {
    const game = JSON.parse(smallGame(3)) as { grammar: string };
    const doubles = Array.from({ length: 40 }, (_, place) => `"a${place + 1}": [{"rhs": "#a${place}# #a${place}#"}],`);
    const symbols = `${doubles.join('')} "a0": [{"rhs": "x"}], "intro": [{"rhs": "#a40#"}, `;
    const refused = (grammar: string) => () =>
      openFolder(folderOf({ 'a/game.tw-pddl': JSON.stringify({ ...game, grammar }) }));
    expect(refused(game.grammar.replace('"intro": [', symbols))).toThrow(
      /a.game\.tw-pddl: its conditions and texts have too many solutions/,
    );
    expect(refused('{'.repeat(300_000))).toThrow(/a.game\.tw-pddl: grammar: line 1: it has more than 200000 words/);
  });

  it('with a link to what has no end, or to nothing', () => {
    const folder = folderOf({});
    symlinkSync('/dev/zero', join(folder, 'a.tw-pddl'));
    expect(() => openFolder(folder)).toThrow(/a\.tw-pddl is a device, not a file/);
    const other = folderOf({});
    symlinkSync('none', join(other, 'a.tw-pddl'));
    expect(() => openFolder(other)).toThrow(/ENOENT.*a\.tw-pddl/);
  });
});

it('links to folders are followed, but not for ever', () => {
  const folder = folderOf({ 'a/game.tw-pddl': smallGame(1) });
  symlinkSync(folder, join(folder, 'round'));
  writeFileSync(join(folder, 'notes.txt'), '');
  const names = findGames(folder).map(({ name }) => name);
  expect(names.slice(0, 2)).toEqual(['a', 'round/a']);
  expect(names.length).toBeLessThan(10);
});
