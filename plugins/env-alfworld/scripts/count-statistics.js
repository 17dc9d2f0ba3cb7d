// Prints the figures of the README: sizes of generated households, and how the players do in them.
//   node scripts/count-statistics.js [--tasks N]
import { parseArgs } from 'node:util';

import { optionDefaults, testHost } from '@agentgym/cli/testing';

import { AlfWorld } from '../dist/alfworld.js';
import { roomNames } from '../dist/generate/rooms.js';
import { taskKindNames } from '../dist/generate/task-kinds.js';
import { options as declared } from '../dist/options.js';
import { openTasks } from '../dist/tasks/open-tasks.js';

const { values } = parseArgs({ options: { tasks: { type: 'string', default: '200' } } });
const count = Number(values.tasks);
const host = testHost(1);
const turns = 50;
const percent = (share) => `${(100 * share).toFixed(1)} %`;
const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
const range = (numbers) => `${mean(numbers).toFixed(1)} (${Math.min(...numbers)} to ${Math.max(...numbers)})`;

function play(environment, id, player) {
  environment.reset(id);
  for (let turn = 1; turn <= turns; turn += 1) {
    if (environment.step(environment.act(player, host)).terminated) return { success: 1, turns: turn };
  }
  return { success: 0, turns };
}

function worldOf(given) {
  const options = { ...optionDefaults(declared), listActions: false, ...given };
  const book = openTasks(options, host);
  const ids = Array.from({ length: count }, (_, place) => book.splits.train.id(place));
  return { book, ids, environment: new AlfWorld(book, options, host) };
}

console.log('room: receptacles, things, commands at the start');
for (const room of roomNames) {
  const { book, ids, environment } = worldOf({ rooms: [room] });
  const settings = ids.map((id) => book.read(id).game.setting);
  const sizes = (type) => range(settings.map(({ types }) => types.filter((each) => each === type).length));
  const commands = range(ids.map((id) => (environment.reset(id), environment.admissible().length)));
  console.log(`${room}: ${sizes('receptacle')}, ${sizes('object')}, ${commands}`);
}
console.log(`\ntask: turns of the oracle; success in ${turns} turns and turns of the others`);
for (const [name, given] of [
  ...taskKindNames.map((kind) => [kind, { tasks: [kind] }]),
  ['all', {}],
  ['all, receptacles: 8, objects: 6', { receptacles: 8, objects: 6 }],
]) {
  const { ids, environment } = worldOf(given);
  const acting = worldOf({ ...given, commands: 'acting' }).environment;
  const cells = ['oracle', 'searcher', 'demonstrator', 'random'].map((player) => {
    const played = ids.map((id) => play(environment, id, player));
    return `${player} ${percent(mean(played.map(({ success }) => success)))} ${range(played.map((each) => each.turns))}`;
  });
  const random = percent(mean(ids.map((id) => play(acting, id, 'random').success)));
  console.log(`${name}: ${cells.join(', ')}, random, acting commands ${random}`);
}
