import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { environmentKit, optionDefaults } from '@agentgym/cli/testing';
import { describe, inject, it } from 'vitest';

import * as module from './alfworld.js';
import { writeGameFile } from './game/game-file.js';
import { householdTexts, makeHousehold } from './generate/household.js';
import { taskKindNames, taskKinds } from './generate/task-kinds.js';
import contributions from './index.js';
import { options as declared, type Options } from './options.js';

const [contribution] = contributions;
const freshProcess = new URL('../dist/alfworld.js', import.meta.url);
const defaults: Options = optionDefaults(declared);

/** A folder in the published layout, with two games of each kind of task in each split. */
function publishedFolder(): string {
  const root = join(mkdtempSync(join(tmpdir(), 'agentgym-alfworld-')), 'json_2.1.1');
  for (const [split, scene] of [
    ['train', 3],
    ['valid_seen', 3],
    ['valid_unseen', 4],
  ] as const) {
    for (const [place, kind] of taskKindNames.entries()) {
      const seed = place + 10 * scene + (split === 'train' ? 0 : 5);
      const order = { room: taskKinds[kind].rooms[0]!, scene, kind, seed, receptacles: 8, objects: 8 };
      const folder = join(root, split, `${kind}-${scene}`, `trial_${seed}`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'game.tw-pddl'), writeGameFile(householdTexts(makeHousehold(order), false)));
      writeFileSync(
        join(folder, 'traj_data.json'),
        JSON.stringify({ scene: { floor_plan: `FloorPlan${300 + scene}` } }),
      );
    }
  }
  return root;
}

const variants: Record<string, Options> = {
  'all households': defaults,
  files: { ...defaults, game: 'files', games: publishedFolder(), heldOut: 'both' },
};
const longVariants: Record<string, Options> = {
  'small households, whole rooms, as AgentGym': {
    ...defaults,
    ...{ receptacles: 8, objects: 6, maxTurns: 30, commands: 'acting' },
    ...{ observe: 'room', listActions: false, compat: 'agentgym' },
  },
  'seen and unseen rooms, as the original': {
    ...defaults,
    ...{ tasks: ['pick_two_obj_and_place'], rooms: ['bathroom'], scenes: 12, heldOut: 'both', compat: 'alfworld' },
  },
};

const isLong = inject('long');

describe.each(Object.entries(isLong ? { ...variants, ...longVariants } : variants))('alfworld: %s', (name, options) => {
  const subject = { ...module, contribution: contribution!, options };
  const isDefault = name === 'all households';
  const effort = isDefault && isLong ? 'usual' : 'small';
  environmentKit.describe(it, subject, { effort, ids: 6, ...(isDefault && { freshProcess }) });
});
