import type { GroupedOptions, OptionFinding, OptionsOf } from '@agentgym/cli';

import { fewestReceptacles } from './generate/household.js';
import { roomNames, type RoomName } from './generate/rooms.js';
import { taskKindNames, taskKinds, type TaskKindName } from './generate/task-kinds.js';

export const options = {
  game: {
    type: 'choice',
    choices: ['households', 'files'],
    default: 'households',
    description: 'households: generated; files: games of ALFWorld in a folder',
  },
  tasks: {
    type: 'strings',
    default: taskKindNames,
    description: `Kinds of tasks: ${taskKindNames.join(', ')}`,
    axis: true,
    levels: [
      ['pick_and_place_simple'],
      ['pick_clean_then_place_in_recep', 'pick_heat_then_place_in_recep', 'pick_cool_then_place_in_recep'],
      ['pick_two_obj_and_place'],
    ],
  },
  rooms: { type: 'strings', default: roomNames, description: `households: kinds of rooms: ${roomNames.join(', ')}` },
  receptacles: {
    type: 'integer',
    minimum: fewestReceptacles,
    maximum: 60,
    default: null,
    description: 'households: receptacles of a room; not set: as many as the rooms of ALFWorld have',
    axis: true,
    levels: [8, 16, 32],
  },
  objects: {
    type: 'integer',
    minimum: 2,
    maximum: 100,
    default: null,
    description: 'households: things to take in a room; not set: as many as in the rooms of ALFWorld',
    axis: true,
    levels: [5, 20, 50],
  },
  scenes: {
    type: 'integer',
    minimum: 10,
    maximum: 100_000,
    default: 30,
    description:
      'households: different rooms of each kind; of ten, eight are for training, one for validation, one for tests',
  },
  games: {
    type: 'string',
    default: null,
    description:
      'files: a game.tw-pddl, or a folder with such games, or with folders train, valid_seen and valid_unseen of them',
  },
  heldOut: {
    type: 'choice',
    choices: ['unseen', 'both'],
    default: 'unseen',
    description:
      'Rooms of held-out tasks. unseen: rooms without training tasks (files: validation plays valid_seen, and test valid_unseen); both: half of them are rooms of the training tasks, and the label `scene` tells them apart',
  },
  commands: {
    type: 'choice',
    choices: ['all', 'acting'],
    default: 'all',
    description:
      'Commands that lists and random players have. acting: without look, inventory, help and examine, which may be written all the same',
  },
  maxTurns: { type: 'integer', minimum: 1, maximum: 1000, default: 50, description: 'Turns of an episode at most' },
  compat: {
    type: 'choice',
    choices: ['corrected', 'alfworld', 'agentgym'],
    default: 'corrected',
    description:
      "alfworld: behave as the original also where it is wrong; agentgym: as the original behind AgentGym's server",
  },
  view: { group: 'view' },
} as const satisfies GroupedOptions;

export type Options = OptionsOf<typeof options>;

/** Options that have an effect for one kind of games only. */
const belongsTo: { readonly [name in keyof Options]?: Options['game'] } = {
  rooms: 'households',
  receptacles: 'households',
  objects: 'households',
  scenes: 'households',
  games: 'files',
};

/** Checks that the declaration cannot express. */
export function validate(given: Options): readonly OptionFinding[] {
  const findings: OptionFinding[] = [];
  for (const [name, game] of Object.entries(belongsTo)) {
    if (game === given.game) continue;
    findings.push({
      path: [name],
      message: `${name} has no effect with game: ${given.game}`,
      hint: `Remove ${name}, or write game: ${game}.`,
      idle: true,
    });
  }
  findings.push(...unknownNames('tasks', given.tasks, taskKindNames), ...unknownNames('rooms', given.rooms, roomNames));
  if (findings.some(({ idle }) => idle !== true)) return findings;
  if (given.game === 'households' && tasksWithRooms(given).length === 0) {
    findings.push({
      path: ['tasks'],
      message: `none of the tasks ${given.tasks.join(', ')} happens in ${given.rooms.join(' or ')}`,
      hint: `Write rooms: [${taskKinds[given.tasks[0] as TaskKindName].rooms.join(', ')}].`,
    });
  }
  if (given.game === 'files' && (given.games ?? '') === '') {
    findings.push({ path: ['games'], message: 'game: files needs a folder', hint: 'Write games: FOLDER.' });
  }
  return findings;
}

function unknownNames(option: string, given: readonly string[], known: readonly string[]): readonly OptionFinding[] {
  const hint = `Write ${option}: [${known[0]}], or some of ${known.join(', ')}.`;
  if (given.length === 0) return [{ path: [option], message: `${option} names nothing, so there is no task`, hint }];
  return given
    .filter((name) => !known.includes(name))
    .map((name) => ({ path: [option], message: `there is no ${JSON.stringify(name)} among the ${option}`, hint }));
}

/** The chosen kinds of tasks, each with those of the chosen rooms where it happens; without kinds that have none. */
export function tasksWithRooms({
  tasks,
  rooms,
}: Pick<Options, 'tasks' | 'rooms'>): readonly { readonly kind: TaskKindName; readonly rooms: readonly RoomName[] }[] {
  return taskKindNames
    .filter((kind) => tasks.includes(kind))
    .map((kind) => ({ kind, rooms: taskKinds[kind].rooms.filter((room) => rooms.includes(room)) }))
    .filter((each) => each.rooms.length > 0);
}
