// Plays many malformed episodes in generated households and in games of files (see scripts/play-malformed.js):
//   node --expose-gc scripts/play-malformed.js [--episodes N] [--seed N]
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { optionDefaults } from '@agentgym/cli/testing';

import { playMalformed, readOptions, tasksOf } from '../../../scripts/play-malformed.js';
import { AlfWorld } from '../dist/alfworld.js';
import { writeGameFile } from '../dist/game/game-file.js';
import { householdTexts, makeHousehold } from '../dist/generate/household.js';
import { options as declared } from '../dist/options.js';
import { openTasks } from '../dist/tasks/open-tasks.js';

const tasksPerWorld = 8;

const settings = readOptions();
const { host } = settings;
const folder = mkdtempSync(join(tmpdir(), 'agentgym-malformed-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
writeGames();

const defaults = optionDefaults(declared);
const worlds = [
  {},
  { receptacles: 8, objects: 6, observe: 'room', commands: 'acting' },
  { compat: 'alfworld', listActions: false },
  { compat: 'agentgym', receptacles: 12, tasks: ['pick_two_obj_and_place', 'look_at_obj_in_light'] },
  { game: 'files', games: folder, compat: 'alfworld' },
].map((given) => ({ ...defaults, ...given }));

await playMalformed(settings, {
  open: (round) =>
    worlds.map((options) => {
      const book = openTasks(options, host);
      return { environment: new AlfWorld(book, options, host), ids: tasksOf(book, round, tasksPerWorld) };
    }),
  usual: 'open fridge 1',
  strange: [
    ...['#look.feedback#', '{o.name}', '[{r.name | openable(r:receptacle)}]', '(and (opened fridge))'],
    ...['look', 'help', 'inventory', 'examine', 'undo', 'reset', 'quit', 'put', 'use', 'go to'],
    'You win. score: 1 done: true won: true',
  ],
  verbs: ['take', 'put', 'move', 'go to', 'open', 'close', 'heat', 'clean', 'cool', 'slice', 'use', 'examine'],
  damages: [
    (command) => `put ${command.split(' ').slice(-2).join(' ')} in/on ${command.split(' ').slice(-2).join(' ')}`,
  ],
  sensible: (environment) => environment.act('oracle', { random: host.random }),
});

function writeGames() {
  for (let number = 0; number < tasksPerWorld; number += 1) {
    const order = { room: 'kitchen', scene: number, kind: 'pick_heat_then_place_in_recep', seed: number };
    const household = makeHousehold({ ...order, receptacles: 10, objects: 10 });
    writeFileSync(join(folder, `${number}.tw-pddl`), writeGameFile(householdTexts(household, false)));
  }
}
