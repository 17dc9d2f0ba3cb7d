import type { SplitName, TaskFacts } from '@agentgym/cli';
import { eachSplit, Recent, SeededRandom, unknownTask, type TaskBook } from '@agentgym/world-kit';

import { checkPlayable, type PlayableGame } from '../game/playable.js';
import { makeHousehold, type HouseholdOrder } from '../generate/household.js';
import { openHousehold } from '../generate/open-household.js';
import { roomNames } from '../generate/rooms.js';
import { tasksWithRooms, type Options } from '../options.js';
import type { Task } from './task.js';

/** Games that stay in memory; the episodes of a group play the same one. */
const keptGames = 256;
const keptFacts = 10_000;
/** Of ten rooms, the last but one is for validation and the last for tests. */
const inTen = 10;
const splitsOfTen = { train: [0, 1, 2, 3, 4, 5, 6, 7], validation: [8], test: [9] } as const;
/** Seeds by split, so that no two splits share a task in a room that both have. */
const seedOf = { train: 0, validation: 1, test: 2 } as const satisfies Record<SplitName, number>;
const largestPlace = 2 ** 40;

/** Tasks that are generated: `house-r16/kitchen-7/pick_heat_then_place_in_recep/42`. */
export function openHouseholdTasks(options: Options): TaskBook<Task> {
  const setting = settingOf(options);
  const kinds = tasksWithRooms(options);
  const games = new Recent<PlayableGame>(keptGames);
  const facts = new Recent<TaskFacts>(keptFacts);
  const orderOf = (id: string): HouseholdOrder => {
    const order = readId(id, setting, options);
    if (order !== undefined) return order;
    throw unknownTask(id, 'a task of these options', idAt('train', 0));
  };
  const make = (id: string): PlayableGame => games.get(id, () => open(orderOf(id), options));

  /** The task at a place of a split: kinds of tasks take turns, rooms are drawn. */
  const idAt = (split: SplitName, place: number): string => {
    const { kind, rooms } = kinds[place % kinds.length]!;
    const random = new SeededRandom(`task/${split}/${place}`);
    const scenes = scenesOf(split, options, random.uniform());
    return `${setting}/${random.choice(rooms)}-${random.choice(scenes)}/${kind}/${3 * place + seedOf[split]}`;
  };
  return {
    splits: eachSplit((split) => ({
      count: 'unbounded',
      id: (place) => idAt(split, place % largestPlace),
      random: (random) => idAt(split, random.integer(0, 2 ** 31)),
    })),
    sharesClusters: options.heldOut === 'both',
    about: (id) => facts.get(id, () => aboutHousehold(orderOf(id), make(id), options)),
    read: (id): Task => ({ id, game: make(id).game }),
  };
}

/** The beginning of all ids: what decides the households besides room, task and seed. */
function settingOf({ receptacles, objects }: Options): string {
  return [
    'house',
    ...(receptacles === null ? [] : [`r${receptacles}`]),
    ...(objects === null ? [] : [`o${objects}`]),
  ].join('-');
}

const rest = /^([a-z]+)-(0|[1-9]\d{0,5})\/([a-z_]+)\/(0|[1-9]\d{0,14})$/;

function readId(id: string, setting: string, options: Options): HouseholdOrder | undefined {
  if (!id.startsWith(`${setting}/`)) return undefined;
  const [, roomName, scene, kindName, seed] = rest.exec(id.slice(setting.length + 1)) ?? [];
  const found = tasksWithRooms(options).find(({ kind }) => kind === kindName);
  const room = roomNames.find((each) => each === roomName && found?.rooms.includes(each) === true);
  if (found === undefined || room === undefined || Number(scene) >= options.scenes) return undefined;
  const { receptacles, objects } = options;
  return { room, scene: Number(scene), kind: found.kind, seed: Number(seed), receptacles, objects };
}

/** Numbers of the rooms that tasks of a split are in; `draw` decides between those seen in training and others. */
function scenesOf(split: SplitName, { scenes, heldOut }: Options, draw: number): readonly number[] {
  const isSeen = split !== 'train' && heldOut === 'both' && draw < 0.5;
  const places: readonly number[] = splitsOfTen[isSeen ? 'train' : split];
  return Array.from({ length: scenes }, (_, scene) => scene).filter((scene) => places.includes(scene % inTen));
}

function open(order: HouseholdOrder, { compat }: Options): PlayableGame {
  return checkPlayable(openHousehold(makeHousehold(order), compat), compat);
}

function aboutHousehold(
  { room, scene, kind }: HouseholdOrder,
  { game, planLength }: PlayableGame,
  options: Options,
): TaskFacts {
  const isSeen = scenesOf('train', options, 1).includes(scene);
  return {
    cluster: `${room}-${scene}`,
    labels: {
      task: kind,
      room,
      scene: isSeen ? 'seen' : 'unseen',
      receptacles: game.setting.ofType('receptacle').length,
      planLength,
    },
  };
}
