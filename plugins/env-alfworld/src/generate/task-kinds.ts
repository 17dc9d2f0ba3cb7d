import { uses } from './kinds.js';
import type { RoomName } from './rooms.js';

/** ALFWorld's six kinds of tasks, in the order of its numbers. */
export const taskKindNames = [
  'pick_and_place_simple',
  'look_at_obj_in_light',
  'pick_clean_then_place_in_recep',
  'pick_heat_then_place_in_recep',
  'pick_cool_then_place_in_recep',
  'pick_two_obj_and_place',
] as const;

export type TaskKindName = (typeof taskKindNames)[number];

/** What a task asks for: `Mug`, `Desk`. */
export interface Wish {
  readonly thing: string;
  /** The receptacle; for a lamp, the lamp. */
  readonly target: string;
}

export interface TaskKind {
  /** Where such tasks happen: `GOALS_VALID` in alfworld/gen/constants.py. */
  readonly rooms: readonly RoomName[];
  /** Things that can be treated so; absent if the task treats nothing. */
  readonly things?: readonly string[];
  /** The appliance, which is no target of its own. */
  readonly appliance?: string;
  /** Things of the kind that the task needs. */
  readonly count: number;
  /** Wordings of the task, in small letters: `templates` in alfworld/gen/goal_library.py. */
  readonly sentences: readonly ((wish: Wish) => string)[];
  /** The goal in PDDL. */
  goal(wish: Wish): string;
}

function placed(wish: Wish, demands: string): string {
  return `(exists (?r - receptacle) (exists (?o - object) (and (objectType ?o ${wish.thing}Type) (receptacleType ?r ${wish.target}Type) (inReceptacle ?o ?r)${demands})))`;
}

const kitchen: readonly RoomName[] = ['kitchen'];
const anywhere: readonly RoomName[] = ['kitchen', 'livingroom', 'bedroom', 'bathroom'];

export const taskKinds: { readonly [name in TaskKindName]: TaskKind } = {
  pick_and_place_simple: {
    rooms: anywhere,
    count: 1,
    sentences: [
      ({ thing, target }) => `put a ${thing} in ${target}`,
      ({ thing, target }) => `put some ${thing} on ${target}`,
    ],
    goal: (wish) => placed(wish, ''),
  },
  look_at_obj_in_light: {
    rooms: ['livingroom', 'bedroom'],
    count: 1,
    sentences: [
      ({ thing, target }) => `look at ${thing} under the ${target}`,
      ({ thing, target }) => `examine the ${thing} with the ${target}`,
    ],
    goal: ({ thing, target }) =>
      `(exists (?lamp - object ?r - receptacle ?a - agent ?l - location) (and (objectType ?lamp ${target}Type) (toggleable ?lamp) (isToggled ?lamp) (inReceptacle ?lamp ?r) (receptacleAtLocation ?r ?l) (atLocation ?a ?l))) (exists (?o - object ?a - agent) (and (objectType ?o ${thing}Type) (holds ?a ?o)))`,
  },
  pick_clean_then_place_in_recep: {
    rooms: ['kitchen', 'bathroom'],
    things: uses.cleanable,
    appliance: 'SinkBasin',
    count: 1,
    sentences: [
      ({ thing, target }) => `put a clean ${thing} in ${target}`,
      ({ thing, target }) => `clean some ${thing} and put it in ${target}`,
    ],
    goal: (wish) => placed(wish, ' (cleanable ?o) (isClean ?o)'),
  },
  pick_heat_then_place_in_recep: {
    rooms: kitchen,
    things: uses.heatable,
    appliance: 'Microwave',
    count: 1,
    sentences: [
      ({ thing, target }) => `put a hot ${thing} in ${target}`,
      ({ thing, target }) => `heat some ${thing} and put it in ${target}`,
    ],
    goal: (wish) => placed(wish, ' (heatable ?o) (isHot ?o)'),
  },
  pick_cool_then_place_in_recep: {
    rooms: kitchen,
    things: uses.coolable,
    appliance: 'Fridge',
    count: 1,
    sentences: [
      ({ thing, target }) => `put a cool ${thing} in ${target}`,
      ({ thing, target }) => `cool some ${thing} and put it in ${target}`,
    ],
    goal: (wish) => placed(wish, ' (coolable ?o) (isCool ?o)'),
  },
  pick_two_obj_and_place: {
    rooms: anywhere,
    count: 2,
    sentences: [
      ({ thing, target }) => `put two ${thing} in ${target}`,
      ({ thing, target }) => `find two ${thing} and put them in ${target}`,
    ],
    goal: ({ thing, target }) =>
      `(exists (?r - receptacle) (exists (?one - object) (and (objectType ?one ${thing}Type) (receptacleType ?r ${target}Type) (inReceptacle ?one ?r) (exists (?two - object) (and (not (= ?one ?two)) (objectType ?two ${thing}Type) (inReceptacle ?two ?r))))))`,
  },
};

/** The sentence of a task: names in it are in small letters, as in ALFWorld. */
export function sentenceOf(kind: TaskKind, wish: Wish, choose: (count: number) => number): string {
  const sentence = kind.sentences[choose(kind.sentences.length)] as (wish: Wish) => string;
  return sentence({ thing: wish.thing.toLowerCase(), target: wish.target.toLowerCase() });
}
