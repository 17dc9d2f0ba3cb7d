// Plays many malformed episodes in games of all generators and of files (see scripts/play-malformed.js):
//   node --expose-gc scripts/play-malformed.js [--episodes N] [--seed N] [--games FOLDER]
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { optionDefaults } from '@agentgym/cli/testing';

import { playMalformed, readOptions, tasksOf } from '../../../scripts/play-malformed.js';
import { writeGame } from '../dist/game/write-game.js';
import { generateCustom } from '../dist/generate/custom.js';
import { options as declared } from '../dist/options.js';
import { writeProse } from '../dist/prose/write-prose.js';
import { openTasks } from '../dist/tasks/open-tasks.js';
import { TextWorld } from '../dist/textworld.js';

const tasksPerWorld = 8;

const settings = readOptions({ games: { type: 'string' } });
const { games, host, seed } = settings;
const folder = mkdtempSync(join(tmpdir(), 'agentgym-malformed-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
writeGames();

const worlds = [
  ['custom', { rooms: 4, objects: 6, questLength: 6 }],
  ['custom', { rooms: 2, objects: 12, compat: 'textworld', observe: 'room' }],
  ['simple', { rewards: 'balanced' }],
  ['coin-collector', { level: 5 }],
  ['treasure-hunter', { level: 5 }],
  ['cooking', { recipe: 2, take: 2, go: 6, open: true, cook: true, cut: true }],
  ['cooking', { recipe: 2, take: 1, drop: true, compat: 'textworld' }],
  ['files', { games: folder }],
  ...(games === undefined ? [] : [['files', { games, play: 'story' }]]),
].map(([kind, given]) => [kind, { ...optionDefaults(declared[kind]), ...given }]);

await playMalformed(settings, {
  open: (round) =>
    worlds.map(([kind, options]) => {
      const book = openTasks(kind, options, host.files);
      return { environment: new TextWorld(book, options, host), ids: tasksOf(book, round, tasksPerWorld) };
    }),
  usual: 'open chest',
  strange: ['all', 'it', 'again', 'g', 'undo', 'restart', 'yes', 'quit', 'save', 'restore', 'verbose', 'oops'],
  verbs: ['take', 'put', 'unlock', 'go', 'x', 'insert', 'eat', 'cook', 'drop', 'ask', 'give', 'push', 'wear'],
  damages: [(command) => `${host.random.choice(['take', 'put', 'drop'])} all except ${command.split(' ').at(-1)}`],
});

/** A generated game as a `.json`, and a small story. */
function writeGames() {
  const game = writeProse(generateCustom({ rooms: 2, objects: 3, questLength: 4 }, seed), {
    seed,
    instructions: 'steps',
  });
  writeFileSync(join(folder, 'generated.json'), JSON.stringify(writeGame(game)));
  copyFileSync(fileURLToPath(new URL('../src/story/fixtures/chest.z8', import.meta.url)), join(folder, 'chest.z8'));
}
