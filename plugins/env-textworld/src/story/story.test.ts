import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { describe, expect, it } from 'vitest';

import { cleanCommand } from './clean-command.js';
import { StoryError } from './story-error.js';
import type { StorySnapshot } from './story-snapshot.js';
import { openStory, type StoryGame, type StoryLimits } from './story.js';

const bytesOf = (version: number) => readFileSync(new URL(`./fixtures/chest.z${version}`, import.meta.url));
const opened = [3, 4, 5, 8].map((version) => [version, openStory(bytesOf(version))] as const);
const stories = new Map(opened);

const begin = (version = 8, limits?: Partial<StoryLimits>): StoryGame => {
  const game = stories.get(version)!.open(limits);
  game.start();
  return game;
};
const playAll = (game: StoryGame, commands: readonly string[]) => commands.map((command) => game.act(command));

const room = '-= Vault =-\nYou are in a vault. A chest is here';
const first = `Open the chest and take the coin. Do not eat the apple.\n\n${room}.`;
const point = 'Your score has just gone up by one point.';

describe('openStory', () => {
  it('tells what the header says', () => {
    expect(stories.get(8)!.header).toMatchObject({
      version: 8,
      release: 1,
      serial: '261123',
      length: expect.toSatisfy((length: number) => length > 4000 && length <= 5120) as number,
    });
  });

  const changed: readonly (readonly [string, RegExp, (bytes: Uint8Array) => Uint8Array])[] = [
    ['nothing', /is empty/, () => new Uint8Array(0)],
    ['a few bytes', /cut off: 40 bytes/, (bytes) => bytes.subarray(0, 40)],
    ['half of a story', /cut off: 2000 of 4\d{3} bytes/, (bytes) => bytes.subarray(0, 2000)],
    ['too much', /has 1048577 bytes; at most 1048576/, () => new Uint8Array(2 ** 20 + 1)],
    ['a text', /not a version/, () => new TextEncoder().encode('{"version": 1}'.padEnd(100))],
    ['an archive', /Blorb/, () => new TextEncoder().encode('FORM    IFRS'.padEnd(100))],
    ['another version', /version 6; only 3, 4, 5 and 8/, set(0, 6)],
    ['a changed byte', /checksum/, set(3000, 0x55)],
    ['no first instruction', /first instruction lies outside/, set(0x06, 0xff, 0xff)],
    ['code that can change', /first instruction lies in memory that can change/, set(0x06, 0, 80)],
    ['no static memory', /static memory lies outside/, set(0x0e, 0xff, 0xff)],
    ['no objects', /objects lies outside/, set(0x0a, 0xff, 0xff)],
    ['no variables', /variables lies outside/, set(0x0c, 0xff, 0)],
    ['no dictionary', /dictionary lies outside/, set(0x08, 0xff, 0)],
    ['a dictionary of anything', /dictionary/, set(0x08, 0x08, 0)],
    ['no abbreviations', /abbreviations lies outside/, set(0x18, 0xff, 0)],
    ['no alphabet', /alphabet lies outside/, set(0x34, 0xff, 0)],
    ['no extension', /extension lies outside/, set(0x36, 0xff, 0)],
  ];
  it.each(changed)('refuses %s', (_, message, change) => {
    const open = () => openStory(change(new Uint8Array(bytesOf(8))));
    expect(open).toThrow(message);
    expect(open).toThrow(StoryError);
  });

  it('reads no more than the caller allows', () => {
    expect(() => openStory(bytesOf(8), 1000)).toThrow('the story has 4608 bytes; at most 1000 are read');
  });

  it('leaves the bytes as they are, and does not depend on them', () => {
    const bytes = bytesOf(8);
    const game = openStory(bytes).open();
    expect(game.start()).toBe(first);
    expect(bytes.equals(bytesOf(8))).toBe(true);
    bytes.fill(0);
    expect(game.act('look')).toBe(`${room}.`);
  });
});

describe('StoryGame', () => {
  it.each([3, 4, 5, 8])('plays a story of version %i to its end', (version) => {
    const game = stories.get(version)!.open();
    expect(game.start()).toBe(first);
    expect(game.statusLine).toMatch(version === 3 ? /^Vault +Score: 0 +Turns: 0$/ : /^-= Vault =- +0\/0$/);
    expect(game.act('open chest')).toBe(`You open the chest, revealing a coin.\n\n${point}`);
    expect(game.act('  OPEN\tCHEST\n')).toBe("That's already open.");
    expect(game.act('take coin')).toMatch(
      /^You take the coin from the chest\.\n\nYour score .*\n\n {20}\*\*\* The End \*\*\*/,
    );
    expect(game.statusLine).toMatch(version === 3 ? /Score: 2 +Turns: 3$/ : /1\/2$/);
    expect(game.ended).toBe(false);
    expect(game.act('quit')).toBe('Goodbye.');
    expect(game.ended).toBe(true);
    expect(game.failure).toBeUndefined();
    expect(game.act('look')).toBe('');
  });

  it('plays eight games at once like one after another', () => {
    const commands = [
      'look',
      'dice',
      'open chest',
      'tw-trace-actions',
      'take coin',
      'dice',
      'inventory',
      'drop',
      'look',
    ];
    const versions = [8, 5, 8, 3, 4, 8, 5, 3];
    const alone = versions.map((version, number) => playAll(begin(version), commands.slice(number % 4)));
    const games = versions.map((version) => begin(version));
    const together = games.map((): string[] => []);
    for (let turn = 0; turn < commands.length; turn++) {
      for (const [number, game] of games.entries()) {
        const command = commands.slice(number % 4)[turn];
        if (command !== undefined) together[number]!.push(game.act(command));
      }
    }
    expect(together).toEqual(alone);
    expect(new Set(alone.map((replies) => replies.join())).size).toBeGreaterThan(3);
  });

  it('plays a game that begins from the stored opening like the first one', () => {
    const commands = ['dice', 'open chest', 'look'];
    const game = openStory(bytesOf(8)).open();
    const texts = [game.start(), ...playAll(game, commands)];
    expect([game.start(), ...playAll(game, commands)]).toEqual(texts);
  });

  it('draws the same random numbers in every game', () => {
    expect(begin().act('dice')).toMatch(/^\d+ \d+ \d+$/);
    expect(begin(8).act('dice')).toBe(begin(5).act('dice'));
  });

  it('begins anew on demand of the player', () => {
    const game = begin();
    playAll(game, ['open chest', 'restart']);
    expect(game.restarts).toBe(0);
    expect(game.act('yes')).toBe(first);
    expect(game.restarts).toBe(1);
    expect(game.statusLine).toMatch(/0\/0$/);
    expect(game.act('open chest')).toContain(point);
  });

  it('takes a key where the story waits for one', () => {
    const game = begin();
    expect(game.act('key')).toBe('Press a key.');
    expect(game.waiting).toBe('key');
    expect(game.act('xyz')).toBe('You pressed x.');
    expect(game.waiting).toBe('line');
  });

  it.each([3, 4, 5, 8])('reaches no files in version %i', (version) => {
    const game = begin(version);
    expect(playAll(game, ['save', 'restore', 'script', 'undo'])).toEqual([
      'Save failed.',
      'Restore failed.',
      'Transcript on.',
      'There is no undo.',
    ]);
    expect(game.act('look')).toBe(`${room}.`);
    // What opens files for the interpreter is not even loaded.
    const loaded = Object.keys(createRequire(import.meta.url).cache);
    expect(loaded.some((path) => path.includes('ifvms'))).toBe(true);
    expect(loaded.filter((path) => path.includes('glkote'))).toEqual([]);
  });

  it.each([
    '',
    ' \n\t ',
    '\0\x1b[31m\x7f',
    'look'.repeat(10_000),
    'İ'.repeat(300),
    '猫を取る',
    '\ud800',
    '🐉',
    '"quoted, words. then more',
    '__proto__ constructor',
    '>',
    '\u202eabc\u200b',
  ])('answers the command %j', (command) => {
    const game = begin();
    expect(game.act(command)).toMatch(/^(I beg your pardon\?|That's not a verb I recognise\.)$/);
    expect(game.act('look')).toBe(`${room}.`);
  });
});

describe('cleanCommand', () => {
  it('makes one line of small letters that the interpreter does not lengthen', () => {
    expect(cleanCommand(' Take\r\nthe  “Old”\tKEY… ')).toBe('take the "old" key.');
    const line = cleanCommand('İ'.repeat(300));
    expect(line.length).toBe(200);
    expect(line.toLowerCase().length).toBe(200);
  });
});

describe('a story that misbehaves', () => {
  it.each([
    ['loop', /come to the end of its turn/],
    ['shout', /printed more than 100000 characters/],
    ['dig', /outside of its memory/],
    ['knot', /objects are in no order/],
    ['throw', /returns to nowhere/],
    ['copy', /come to the end of its turn/],
    ['scan', /come to the end of its turn/],
    ['table', /outside of its memory/],
    ['nest', /nests its output/],
    ['write', /outside of its memory/],
    ['words', /dictionary of the story is broken/],
  ])('is ended by "%s", and disturbs no other', (command, message) => {
    const other = begin();
    const game = begin(8, { work: 5_000_000 });
    const text = game.act(command);
    expect(game.failure).toMatch(message);
    expect(text.length).toBeLessThanOrEqual(100_000);
    expect(game.ended).toBe(true);
    expect(game.act('look')).toBe('');
    expect(other.act('look')).toBe(`${room}.`);
    game.start();
    expect(game.failure).toBeUndefined();
    expect(game.act('look')).toBe(`${room}.`);
  });

  it('is allowed a window of any size, but no control characters', () => {
    const game = begin();
    expect(game.act('window')).toBe('Opened.');
    expect(game.snapshot().upper).toHaveLength(255);
    expect(game.act('odd')).toBe('[2J é');
  });

  it('does not run its texts as code', () => {
    expect(begin().act('code')).toContain('(globalThis.wasRun=1)');
    expect(globalThis).not.toHaveProperty('wasRun');
  });

  it('may have an abbreviation of itself', () => {
    const bytes = new Uint8Array(bytesOf(8));
    const word = (address: number) => bytes[address]! * 256 + bytes[address + 1]!;
    // The first of the second bank.
    const abbreviation = 32;
    const text = 2 * word(word(0x18) + 2 * abbreviation);
    bytes.set([0x80 | (2 << 2), 5], text);
    bytes[0x1c] = bytes[0x1d] = 0;
    const game = openStory(bytes).open();
    game.start();
    expect(game.act('code')).toMatch(/code did not run$/);
    expect(game.failure).toBeUndefined();
  });

  it('never throws, whatever its bytes are', () => {
    let seed = 7;
    const draw = (below: number) => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    let played = 0;
    for (let round = 0; round < 80; round++) {
      const bytes = new Uint8Array(bytesOf(round % 2 === 0 ? 8 : 3));
      for (let change = 0; change < 20; change++) bytes[64 + draw(bytes.length - 64)] = draw(256);
      // Without a checksum.
      bytes[0x1c] = bytes[0x1d] = 0;
      let game;
      try {
        game = openStory(bytes).open({ work: 100_000, text: 5_000 });
      } catch (error) {
        expect(error).toBeInstanceOf(StoryError);
        continue;
      }
      played++;
      game.start();
      playAll(game, ['look', 'open chest', 'take coin', 'odd', 'key', 'x', 'restart', 'yes', 'knot', 'inventory']);
    }
    expect(played).toBeGreaterThan(60);
  });
});

describe('a snapshot', () => {
  it.each([3, 8])('holds the whole state of a game of version %i', (version) => {
    const game = begin(version);
    playAll(game, ['open chest', 'dice', 'tw-trace-actions']);
    const snapshot = JSON.parse(JSON.stringify(game.snapshot())) as StorySnapshot;
    const status = game.statusLine;
    const commands = ['dice', 'take coin', 'drop', 'look', 'restart', 'yes', 'look'];
    const texts = playAll(game, commands);
    const other = openStory(bytesOf(version)).open();
    for (const later of [game, other]) {
      later.restore(snapshot);
      expect(later.statusLine).toBe(status);
      expect(playAll(later, commands)).toEqual(texts);
      expect(later.restarts).toBe(1);
    }
  });

  it('knows what the game waits for', () => {
    const game = begin();
    game.act('key');
    const waiting = game.snapshot();
    game.act('x');
    game.restore(waiting);
    expect(game.act('y')).toBe('You pressed y.');
    game.act('quit');
    const end = game.snapshot();
    game.start();
    game.restore(end);
    expect(game.ended).toBe(true);
  });

  it('of another story, or a damaged one, is refused', () => {
    const game = begin();
    const snapshot = game.snapshot();
    expect(() => stories.get(5)!.open().restore(snapshot)).toThrow('the snapshot is of another story');
    expect(() => game.restore({ ...snapshot, memory: 'AAAA' })).toThrow('the snapshot is damaged');
    expect(game.ended).toBe(true);
    expect(() => game.snapshot()).toThrow('has not begun');
  });
});

it('gives memory back', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const used = async () => {
    for (let round = 0; round < 3; round++) {
      collect();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const play = (count: number) => {
    for (let number = 0; number < count; number++) {
      const game = openStory(bytesOf(8)).open();
      game.start();
      playAll(game, ['open chest', 'look']);
      if (number % 2 === 0) game.dispose();
    }
  };
  play(20);
  const before = await used();
  play(200);
  expect(await used()).toBeLessThan(before * 1.05);
});

function set(address: number, ...values: readonly number[]) {
  return (bytes: Uint8Array) => {
    bytes.set(values, address);
    return bytes;
  };
}
