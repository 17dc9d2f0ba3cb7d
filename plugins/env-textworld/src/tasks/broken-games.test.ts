// Files that are no games, or bad ones: each is refused by name, with the cause, before anything is played.
import { readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

import { testHost } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { fact } from '../game/fixtures/small-game.js';
import { openBook } from '../fixtures/play.js';
import { chestJson, chestStory, gameFolder, takeFood } from './fixtures/game-folder.js';

/** Far more than any case takes. */
const longest = 10_000;
const { random } = testHost(7);

interface Json {
  world: { name: string; arguments: { name: string; type: string }[] }[];
  quests: { reward: unknown; win_events: { actions: unknown[]; condition: { preconditions: unknown[] } }[] }[];
  infos: [string, Record<string, unknown>][];
  KB: { logic: unknown };
  version: unknown;
}

/** The game with changes. */
function changed(change: (json: Json) => unknown): string {
  const json = JSON.parse(takeFood) as Json;
  change(json);
  return JSON.stringify(json);
}

function add(json: Json, ...lines: readonly string[]): void {
  for (const line of lines) {
    const { name, entities } = fact(line);
    json.world.push({ name, arguments: entities.map(({ id, type }) => ({ name: id, type })) });
    for (const { id, type } of entities) {
      if (!json.infos.some(([known]) => known === id)) json.infos.push([id, { id, type, name: id }]);
    }
  }
}

/** The quest asks for facts, and nobody tells the way. */
function ask(json: Json, ...lines: readonly string[]): void {
  const [event] = json.quests[0]!.win_events;
  event!.actions = [];
  event!.condition.preconditions = lines.map(fact).map(({ name, entities }) => ({
    name,
    arguments: entities.map(({ id, type }) => ({ name: id, type })),
  }));
}

/** The story with other bytes, and without its checksum. */
function story(change: (bytes: Uint8Array) => unknown): Uint8Array {
  const bytes = new Uint8Array(chestStory);
  bytes[0x1c] = bytes[0x1d] = 0;
  change(bytes);
  return bytes;
}

/** It does not know the command that lets stories of TextWorld tell what is done. */
const untracedStory = readFileSync(new URL('../story/fixtures/chest.z3', import.meta.url));
const randomBytes = (count: number) => Uint8Array.from({ length: count }, () => random.integer(0, 256));
const firstInstruction = (chestStory[0x06]! << 8) | chestStory[0x07]!;
const jumpToItself = [0x8c, 0xff, 0xff];

/** The error of the folder with this file; it names the file and comes soon. */
function refusal(name: string, content: string | Uint8Array, play: 'engine' | 'story' = 'story'): string {
  const games = gameFolder({ 'good.json': takeFood, [name]: content });
  const path = join(games, name);
  const start = performance.now();
  try {
    openBook('files', { games, play });
  } catch (error) {
    expect(performance.now() - start).toBeLessThan(longest);
    expect(error).toBeInstanceOf(Error);
    const { message } = error as Error;
    expect(message.slice(0, path.length)).toBe(path);
    return message.slice(path.length).replace(/^:? /, '');
  }
  throw new Error(`${name} was taken for a game`);
}

describe('a .json that is no game', () => {
  it.each<[string, string | Uint8Array, string]>([
    ['nothing', '', 'Unexpected end of JSON input'],
    ['another text', 'west of house', 'is not valid JSON'],
    ['random bytes', randomBytes(5000), 'JSON'],
    ['a story', chestStory, 'JSON'],
    ['null', 'null', 'not an object'],
    ['a list', '[]', 'not an object'],
    ['other JSON', '{"name": "package"}', 'KB: not an object'],
    ['lists in each other', '['.repeat(100_000) + ']'.repeat(100_000), 'not an object'],
    ['objects in each other', `${'{"KB":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 'KB.logic: not a text'],
    ['a broken text', `{"a": "${'\\ud800'.repeat(10)}`, 'JSON'],
  ])('is refused: %s', (_, content, message) => {
    expect(refusal('a.json', content)).toContain(message);
  });

  it.each(Array.from({ length: 20 }, (_, part) => part))('is refused: %i of 20 parts of a game', (part) => {
    expect(refusal('a.json', takeFood.slice(0, Math.floor((takeFood.length * part) / 20)))).toContain('JSON');
  });

  it.each(['a.json', 'a.z8'])('is not read if it is larger than any game: %s', (name) => {
    const games = gameFolder({ [name]: '' });
    truncateSync(join(games, name), 2 ** 30);
    const start = performance.now();
    const open = () => openBook('files', { games });
    expect(open).toThrow(`${join(games, name)} has 1073741824 bytes; at most `);
    expect(performance.now() - start).toBeLessThan(longest);
  });
});

describe('a game that cannot be', () => {
  it.each<[string, (json: Json) => unknown, string]>([
    ['a number of another version', (json) => (json.version = 1e300), 'version: only version 1'],
    ['a reward beyond numbers', (json) => (json.quests[0]!.reward = '1e999'), 'quests[0].reward: not a number'],
    ['a length in the place of a list', (json) => (json.world = { length: 2 ** 32 } as never), 'world: not a list'],
    [
      'too many facts',
      (json) => (json.world = Array.from({ length: 100_000 }, () => json.world[0]!)),
      'world: more than 20000 items (100000)',
    ],
    [
      'too many entities',
      (json) => {
        for (let one = 0; one < 6000; one++)
          json.world.push({
            name: 'at',
            arguments: [
              { name: `o_${one + 100}`, type: 'o' },
              { name: 'r_0', type: 'r' },
            ],
          });
      },
      'more than 5000 entities',
    ],
    ['a logic without end', (json) => (json.KB.logic = 'type a { }'.repeat(200_000)), 'KB.logic: longer than'],
    ['rules in each other', (json) => (json.KB.logic = `type a ${'{ rules '.repeat(50_000)}`), 'KB.logic: line 1'],
    [
      'a long name',
      (json) => (json.infos.find(([id]) => id === 'c_0')![1]['name'] = 'x'.repeat(999)),
      'its name is too long',
    ],
    [
      'a description in no language',
      (json) => (json.infos.find(([id]) => id === 'c_0')![1]['desc'] = '[if the'),
      'c_0',
    ],
    [
      'a description of nothing',
      (json) => (json.infos.find(([id]) => id === 'c_0')![1]['desc'] = '[if the dragon is open]a[end if]'),
      'c_0',
    ],
    ['a chest in itself', (json) => add(json, 'in c_5 c_5'), 'world: `c_5` is inside itself'],
    ['chests in each other', (json) => add(json, 'in c_5 c_6', 'in c_6 c_7', 'in c_7 c_5'), 'is inside itself'],
    [
      'a fact about nobody',
      (json) => json.world.push({ name: 'closed', arguments: [{ name: 'c_9', type: 'c' }] }),
      'infos: nothing about `c_9`',
    ],
    ['a quest about nobody', (json) => ask(json, 'in o_99 I'), '`o_99` is not in the world'],
    [
      'a quest for what can never be',
      (json) => ask(json, 'locked c_0'),
      'quests[0] cannot be completed: locked(c_0) can never hold',
    ],
    ['a quest against itself', (json) => ask(json, 'in o_2 I', 'at o_2 r_0'), 'nothing wins'],
  ])('is refused: %s', (_, change, message) => {
    expect(refusal('a.json', changed(change), 'engine')).toContain(message);
  });
});

describe('a .z8 that is no story', () => {
  it.each<[string, Uint8Array, string]>([
    ['nothing', new Uint8Array(0), 'the story is empty'],
    ['random bytes', randomBytes(5000).fill(200, 0, 1), 'its first byte is not a version'],
    ['a game', new TextEncoder().encode(takeFood), 'its first byte is not a version'],
    ['a bad header', story((bytes) => bytes.fill(255, 4, 20)), 'lies outside of its memory'],
    ['another checksum', new Uint8Array(chestStory).fill(1, 3000, 3100), 'its checksum is wrong'],
    ['too large', new Uint8Array(600_000).fill(8), 'has 600000 bytes; at most 524288 are read'],
    [
      'an endless loop',
      story((bytes) => bytes.set(jumpToItself, firstInstruction)),
      'the story cannot start: the story does not come to the end of its turn',
    ],
    ['no code', story((bytes) => bytes.fill(0, firstInstruction)), 'the story cannot start'],
  ])('is refused: %s', (_, content, message) => {
    expect(refusal('a.z8', content)).toContain(message);
  });

  it.each(Array.from({ length: 20 }, (_, part) => part))('is refused: %i of 20 parts of a story', (part) => {
    const length = Math.floor((chestStory.length * part) / 20);
    expect(refusal('a.z8', chestStory.slice(0, length))).toMatch(/is empty$|is cut off: \d+/);
  });

  it('is refused, or plays: random bytes after a good header', () => {
    let refused = 0;
    for (let round = 0; round < 20; round++) {
      const games = gameFolder({ 'a.z8': story((bytes) => bytes.set(randomBytes(bytes.length - 64), 64)) });
      try {
        openBook('files', { games });
      } catch (error) {
        expect((error as Error).message).toContain(`${join(games, 'a.z8')}: the story`);
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(10);
  });

  it('is refused beside the .json of another game', () => {
    const games = gameFolder({ 'a.json': chestJson, 'a.z3': untracedStory });
    const open = (play: 'engine' | 'story') => openBook('files', { games, play });
    expect(() => open('story')).toThrow('a.z3: the story does not report which actions were done');
    expect(open('engine').read('games/a').begin().remaining()?.actions).toBe(2);
  });
});
