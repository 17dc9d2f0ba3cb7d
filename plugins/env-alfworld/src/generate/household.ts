import type { GameTexts } from '../game/game.js';
import { houseDomain } from './house-domain.js';
import { houseGrammar } from './house-grammar.js';
import { containers, contents, uses } from './kinds.js';
import { nameThing, withoutDoubles } from './ids.js';
import { lampPlaces, rooms, type RoomName } from './rooms.js';
import { makeScene, type Receptacle, type Scene } from './scene.js';
import { SeededRandom } from '@agentgym/world-kit';
import { sentenceOf, taskKinds, type TaskKind, type TaskKindName, type Wish } from './task-kinds.js';

/** Which household to make. The same order always gives the same household. */
export interface HouseholdOrder {
  readonly room: RoomName;
  /** The room's number: its receptacles, their places, and which of them open. */
  readonly scene: number;
  readonly kind: TaskKindName;
  /** Things in the room, the task, and where they are. */
  readonly seed: number;
  /** Number of receptacles; null: as many as such rooms have. */
  readonly receptacles: number | null;
  /** Number of things to take; null: as many as such rooms have. */
  readonly objects: number | null;
}

export interface Household {
  readonly order: HouseholdOrder;
  readonly wish: Wish;
  /** The sentence without `Your task is to:`. */
  readonly sentence: string;
  readonly problem: string;
}

interface Thing {
  readonly id: string;
  readonly kind: string;
  readonly home: Receptacle;
}

/** A room with fewer would lack what tasks need: four kinds in every room, and somewhere to put things. */
export const fewestReceptacles = 6;
/** `MAX_NUM_OF_OBJ_INSTANCES` and `PICKUP_REPEAT_MAX` in alfworld/gen/constants.py. */
const mostOfKind = 3;
const mostTargets = 4;
const lamp = 'DeskLamp';
const lampTask: TaskKindName = 'look_at_obj_in_light';

/** Makes a household whose task is not done yet and can be done. */
export function makeHousehold(order: HouseholdOrder): Household {
  const { room, seed } = order;
  const scene = makeScene(room, order.scene, order.receptacles);
  const random = new SeededRandom(
    `household/${room}/${order.scene}/${order.kind}/${seed}/${order.objects}/${order.receptacles}`,
  );
  const kind = taskKinds[order.kind];
  const wish = chooseWish(order, kind, scene, random);
  const things = placeThings(order, kind, wish, scene, random);
  const sentence = sentenceOf(kind, wish, (count) => random.integer(0, count));
  return { order, wish, sentence, problem: writeProblem(order, kind.goal(wish), scene, things) };
}

/** The texts of the game. `examinesInSight`: as ALFWorld's rules were meant, not as its planner reads them. */
export function householdTexts({ sentence, problem }: Household, examinesInSight: boolean): GameTexts {
  return { domain: houseDomain(examinesInSight), grammar: houseGrammar(sentence), problem };
}

function chooseWish(
  { room, kind }: HouseholdOrder,
  { things, appliance }: TaskKind,
  scene: Scene,
  random: SeededRandom,
): Wish {
  const kinds = new Set(scene.receptacles.map(({ kind }) => kind));
  const wishes: Wish[] = [];
  for (const thing of Object.keys(rooms[room].things)) {
    if (things !== undefined && !things.includes(thing)) continue;
    const homes = [...kinds].filter((each) => contents[each]?.includes(thing) === true);
    if (kind === lampTask) {
      if (homes.length > 0) wishes.push({ thing, target: lamp });
      continue;
    }
    // The thing starts somewhere else.
    if (homes.length < 2) continue;
    for (const target of homes) if (target !== appliance) wishes.push({ thing, target });
  }
  return random.choice(wishes);
}

function placeThings(
  { room, objects, kind }: HouseholdOrder,
  { count }: TaskKind,
  wish: Wish,
  scene: Scene,
  random: SeededRandom,
): readonly Thing[] {
  const homesOf = (kind: string) => scene.receptacles.filter((each) => contents[each.kind]?.includes(kind) === true);
  const targets = Array.from({ length: random.integer(count, mostTargets + 1) }, () => wish.thing);
  const others: string[] = [];
  for (const [thing, inRooms] of Object.entries(rooms[room].things)) {
    if (thing === wish.thing || homesOf(thing).length === 0 || random.uniform() >= inRooms / 30) continue;
    others.push(...Array.from({ length: random.choice([1, 1, 2, mostOfKind]) }, () => thing));
  }
  const wanted = objects ?? targets.length + others.length;
  // Fewer things than the task needs would be no task.
  const kinds = [...targets.slice(0, Math.max(count, wanted)), ...random.shuffle(others)].slice(
    0,
    Math.max(count, wanted),
  );
  const spare = Object.keys(rooms[room].things).filter((each) => each !== wish.thing && homesOf(each).length > 0);
  while (kinds.length < wanted && spare.length > 0) kinds.push(random.choice(spare));
  const things = kinds.map((each): Thing => {
    const homes = homesOf(each).filter((home) => each !== wish.thing || home.kind !== wish.target);
    return { id: nameThing(each, random), kind: each, home: random.choice(homes) };
  });
  if (kind === lampTask) {
    const homes = scene.receptacles.filter((each) => lampPlaces.includes(each.kind));
    things.push({ id: nameThing(lamp, random), kind: lamp, home: random.choice(homes) });
  }
  return withoutDoubles(things, ({ kind }) => nameThing(kind, random));
}

function writeProblem(
  { room, scene: number, seed }: HouseholdOrder,
  goal: string,
  scene: Scene,
  things: readonly Thing[],
): string {
  const { receptacles, start } = scene;
  const receptacleKinds = [...new Set(receptacles.map(({ kind }) => kind))].sort();
  const kinds = [...new Set(things.map(({ kind }) => kind))].sort();
  const places = [...new Set([start, ...receptacles.map(({ place }) => place)])].sort();
  // The rules name some kinds, whether they are in the room or not.
  const named = (given: readonly string[], known: readonly string[]) => [...new Set([...given, ...known])].sort();
  const objects = [
    'agent1 - agent',
    ...places.map((place) => `${place} - location`),
    ...named(kinds, ['Knife', 'ButterKnife']).map((kind) => `${kind}Type - otype`),
    ...named(receptacleKinds, ['SinkBasin', 'Microwave', 'Fridge']).map((kind) => `${kind}Type - rtype`),
    ...receptacles.map(({ id }) => `${id} - receptacle`),
    ...things.map(({ id }) => `${id} - object`),
  ];
  const facts = [
    `atLocation agent1 ${start}`,
    ...receptacles.flatMap(({ id, kind, place, opens, isOpen }) => [
      `receptacleType ${id} ${kind}Type`,
      `receptacleAtLocation ${id} ${place}`,
      ...(opens ? [`openable ${id}`] : []),
      ...(isOpen ? [`opened ${id}`] : []),
    ]),
    ...receptacleKinds.flatMap((kind) =>
      kinds
        .filter((each) => contents[kind]?.includes(each) === true)
        .map((each) => `canContain ${kind}Type ${each}Type`),
    ),
    ...things.flatMap(({ id, kind, home }) => [
      `objectType ${id} ${kind}Type`,
      `inReceptacle ${id} ${home.id}`,
      `objectAtLocation ${id} ${home.place}`,
      ...(kind === lamp ? [] : [`pickupable ${id}`]),
      ...(containers.includes(kind) ? [`isReceptacleObject ${id}`] : []),
      ...Object.entries(uses).flatMap(([use, able]) => (able.includes(kind) ? [`${use} ${id}`] : [])),
    ]),
  ];
  return [
    `(define (problem ${room}-${number}-${seed})`,
    '(:domain household)',
    '(:objects',
    ...objects.map((object) => `  ${object}`),
    ')',
    '(:init',
    ...facts.map((fact) => `  (${fact})`),
    ')',
    `(:goal (and ${goal}))`,
    ')',
    '',
  ].join('\n');
}
