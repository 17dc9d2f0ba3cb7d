// Plays many episodes of legal, damaged and senseless actions in games of all generators and of files, and prints a
// summary as JSON: node --expose-gc scripts/play-malformed.js [--episodes N] [--seed N] [--games FOLDER]
// The worlds are opened anew for every thousand episodes, with other games. Exit code 1: something was thrown, or more
// memory is held at the end than after the rounds of the warm-up; both times the worlds are gone.
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { getHeapCodeStatistics } from 'node:v8';

import { optionDefaults, testHost } from '@agentgym/cli/testing';

import { writeGame } from '../dist/game/write-game.js';
import { options as declared } from '../dist/options.js';
import { writeProse } from '../dist/prose/write-prose.js';
import { draftGame } from '../dist/tasks/generate-game.js';
import { openTasks } from '../dist/tasks/open-tasks.js';
import { TextWorld } from '../dist/textworld.js';

const mostGrowth = 1.05;
const episodesPerRound = 1000;
/** Until then, V8 learns the types of what it runs: held memory rises from round to round, and then no more. */
const warmUpRounds = 5;
const tasksPerWorld = 8;
const longestEpisode = 15;
const mostErrors = 5;

const { values } = parseArgs({
  options: {
    episodes: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    games: { type: 'string' },
  },
});
const [episodes, seed] = [values.episodes, values.seed].map(Number);
if (!Number.isSafeInteger(episodes) || episodes < 1 || !Number.isSafeInteger(seed) || globalThis.gc === undefined) {
  console.error('--episodes takes a whole number from 1 up, --seed a whole number; node needs --expose-gc');
  process.exit(2);
}

const strange = [
  ...['', ' ', '\n', '\0', '\ufeff', '[]', 'null', '{"action": null}', '__proto__', 'constructor', '<|im_end|>'],
  ...['all', 'it', 'again', 'g', 'undo', 'restart', 'yes', 'quit', 'save', 'restore', 'verbose', 'oops', '1', '.'],
];
const verbs = ['take', 'put', 'unlock', 'go', 'x', 'insert', 'eat', 'cook', 'drop', 'ask', 'give', 'push', 'wear'];

const makers = [
  () => random.choice(strange),
  () => characters(random.integer(1, 60), 0, 33),
  () => characters(random.integer(1, 60), 0x20, 0x250),
  () => characters(random.integer(1, 40), 0x590, 0x10000),
  () => characters(random.integer(1, 20), 0x1f300, 0x1f700),
  () => 'x'.repeat(2 ** random.integer(1, 17)),
  (command) => command.slice(0, random.integer(0, command.length + 1)),
  (command) => command.toUpperCase(),
  (command) => random.shuffle([...command]).join(''),
  (command) => random.shuffle(command.split(' ')).join(' '),
  (command) => `${random.choice(verbs)} ${command}`,
  (command) => `${random.choice(verbs)} ${command.split(' ').slice(1).join(' ')}`,
  (command) => `${random.choice(verbs)} all except ${command.split(' ').at(-1)}`,
  (command) => `${command}. ${command}, then ${command} and ${command}`,
  (command) => `${command} `.repeat(random.integer(2, 200)),
];

const defaults = optionDefaults(declared);
const host = testHost(seed);
const { random } = host;
const folder = mkdtempSync(join(tmpdir(), 'agentgym-malformed-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
writeGames();

const worlds = [
  { rooms: 4, objects: 6, questLength: 6 },
  { rooms: 2, objects: 12, compat: 'textworld', observe: 'room' },
  { game: 'simple', rewards: 'balanced' },
  { game: 'coin-collector', level: 5 },
  { game: 'treasure-hunter', level: 5 },
  { game: 'cooking', recipe: 2, take: 2, go: 6, open: true, cook: true, cut: true },
  { game: 'cooking', recipe: 2, take: 1, drop: true, compat: 'textworld' },
  { game: 'files', games: folder },
  ...(values.games === undefined ? [] : [{ game: 'files', games: values.games, play: 'story' }]),
];

const played = { steps: 0, refused: 0, won: 0, lost: 0 };
const errors = [];
const rounds = Math.ceil(episodes / episodesPerRound);
const held = [];
for (let round = 0; round < warmUpRounds + rounds; round += 1) {
  const left = episodes - Math.max(0, round - warmUpRounds) * episodesPerRound;
  playRound(round, Math.min(episodesPerRound, left));
  held.push(await heldMemory());
}
const [before, after] = [held[warmUpRounds - 1], held.at(-1)];
const growth = after / before;
const summary = { episodes, seed, rounds, worlds: worlds.length, ...played, errors, before, after, growth };
console.log(JSON.stringify(summary, null, 2));
process.exitCode = errors.length > 0 || growth > mostGrowth ? 1 : 0;

/** A generated game as a `.json`, and a small story. */
function writeGames() {
  const game = writeProse(draftGame(defaults, seed, 'train'), { seed, instructions: 'steps' });
  writeFileSync(join(folder, 'generated.json'), JSON.stringify(writeGame(game)));
  copyFileSync(fileURLToPath(new URL('../src/story/fixtures/chest.z8', import.meta.url)), join(folder, 'chest.z8'));
}

function playRound(round, count) {
  const opened = worlds.map((given) => openWorld(given, round));
  for (let number = 0; number < count; number += 1) {
    const { environment, ids } = opened[number % opened.length];
    playEpisode(environment, ids[Math.floor(number / opened.length) % ids.length]);
  }
}

function openWorld(given, round) {
  const options = { ...defaults, ...given };
  const book = openTasks(options);
  const sources = Object.values(book.splits).filter(({ count }) => count !== 0);
  const ids = Array.from({ length: tasksPerWorld }, (_, index) => {
    const { id, count } = sources[index % sources.length];
    const place = round * tasksPerWorld + index;
    return id(count === 'unbounded' ? place : place % count);
  });
  return { environment: new TextWorld(book, options, host), ids };
}

function playEpisode(environment, id) {
  let action;
  try {
    environment.reset(id);
    for (let turn = 0; turn < longestEpisode; turn += 1) {
      action = nextAction(environment);
      const { terminated, facts } = environment.step(action);
      played.steps += 1;
      if (facts.invalid) played.refused += 1;
      if (!terminated) continue;
      played[facts.success ? 'won' : 'lost'] += 1;
      // What is said after the end does nothing either.
      if (random.uniform() < 0.5) break;
    }
  } catch (error) {
    if (errors.length < mostErrors) errors.push({ id, action: action?.slice(0, 200), error: String(error?.stack) });
  }
}

/** A legal action in half of the turns, otherwise one that was damaged, or any text. */
function nextAction(environment) {
  const legal = environment.admissible();
  const command = legal.length === 0 ? 'open chest' : random.choice(legal);
  return random.uniform() < 0.5 ? command : random.choice(makers)(command);
}

function characters(count, low, high) {
  return Array.from({ length: count }, () => String.fromCodePoint(random.integer(low, high))).join('');
}

/** Bytes that are still reachable, without compiled code: V8 compiles when it likes. */
async function heldMemory() {
  for (let round = 0; round < 4; round += 1) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  const { code_and_metadata_size: compiled, bytecode_and_metadata_size: bytecode } = getHeapCodeStatistics();
  return heapUsed + arrayBuffers - compiled - bytecode;
}
