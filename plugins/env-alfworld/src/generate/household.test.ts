import { describe, expect, it } from 'vitest';

import { readGame } from '../game/game.js';
import { checkPlayable } from '../game/playable.js';
import { Session } from '../game/session.js';
import { contents } from './kinds.js';
import { fewestReceptacles, householdTexts, makeHousehold, type HouseholdOrder } from './household.js';
import { openHousehold } from './open-household.js';
import { roomNames, rooms } from './rooms.js';
import { makeScene } from './scene.js';
import { SeededRandom } from '@agentgym/world-kit';
import { taskKindNames, taskKinds } from './task-kinds.js';

const order = (seed: number, given: Partial<HouseholdOrder> = {}): HouseholdOrder => {
  const kind = given.kind ?? taskKindNames[seed % taskKindNames.length]!;
  const room = taskKinds[kind].rooms[seed % taskKinds[kind].rooms.length]!;
  return { room, scene: seed % 30, kind, seed, receptacles: null, objects: null, ...given };
};
const things = (problem: string, type: string) =>
  [...problem.matchAll(new RegExp(`^ {2}(\\S+) - ${type}$`, 'gm'))].map(([, id]) => id!);
const mean = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

describe('a household', () => {
  it('is the same for the same order, and another one for another', () => {
    expect(makeHousehold(order(5))).toEqual(makeHousehold(order(5)));
    const changes: Partial<HouseholdOrder>[] = [{ seed: 11 }, { scene: 6 }, { receptacles: 12 }, { objects: 12 }];
    for (const change of changes)
      expect(makeHousehold(order(5, change)).problem).not.toBe(makeHousehold(order(5)).problem);
  });

  it.each(taskKindNames)('can always be won, and is not won at the start: %s', (kind) => {
    for (const room of taskKinds[kind].rooms) {
      for (let seed = 0; seed < 6; seed += 1) {
        const sizes = {
          receptacles: [null, fewestReceptacles, 30][seed % 3]!,
          objects: [null, 2, 40][seed % 4] ?? null,
        };
        const household = makeHousehold(order(seed, { kind, room, scene: seed, ...sizes }));
        expect(household.sentence).toMatch(/^[a-z ]+$/);
        const texts = householdTexts(household, false);
        expect(checkPlayable(readGame(texts, 'alfworld'), 'alfworld').planLength).toBeGreaterThanOrEqual(3);
      }
    }
  });

  it('has as many receptacles and things as are wanted', () => {
    for (const [receptacles, objects] of [
      [6, 2],
      [8, 10],
      [60, 100],
    ] as const) {
      for (let seed = 0; seed < 12; seed += 1) {
        const { problem, order: given } = makeHousehold(order(seed, { receptacles, objects }));
        expect(things(problem, 'receptacle')).toHaveLength(receptacles);
        const lamps = given.kind === 'look_at_obj_in_light' ? 1 : 0;
        expect(things(problem, 'object')).toHaveLength(objects + lamps);
      }
    }
  });

  it('has things where things of their kind may be, each under an id of its own', () => {
    const kindOf = (id: string) =>
      id.endsWith('Basin') ? id.slice(id.lastIndexOf('_bar_') + 5) : id.split('_bar_')[0]!;
    for (let seed = 0; seed < 12; seed += 1) {
      const { problem } = makeHousehold(order(seed));
      const all = [...things(problem, 'object'), ...things(problem, 'receptacle')];
      expect(new Set(all).size).toBe(all.length);
      const inside = [...problem.matchAll(/\(inReceptacle (\S+_bar_\S+) (\S+_bar_\S+)\)$/gm)];
      expect(inside).toHaveLength(things(problem, 'object').length);
      for (const [, thing, home] of inside) {
        if (kindOf(thing!) !== 'DeskLamp') expect(contents[kindOf(home!)]).toContain(kindOf(thing!));
      }
    }
  });

  it('is about as large as those of the data set', () => {
    const sizes = (room: (typeof roomNames)[number], type: string) =>
      mean(
        Array.from(
          { length: 60 },
          (_, seed) =>
            things(makeHousehold(order(seed, { kind: 'pick_two_obj_and_place', room, scene: seed })).problem, type)
              .length,
        ),
      );
    // 14 games of the data set: kitchens have 20 to 28 receptacles and 32 to 59 things, living rooms about 28 and 22,
    // bedrooms 9 to 18 and 22 to 31, bathrooms 14 to 17 and 18 to 22.
    const expected = {
      kitchen: [23, 31, 32, 60],
      livingroom: [12, 29, 14, 30],
      bedroom: [9, 19, 20, 32],
      bathroom: [12, 20, 15, 25],
    };
    for (const room of roomNames) {
      const [low, high, few, many] = expected[room] as [number, number, number, number];
      expect(sizes(room, 'receptacle')).toBeGreaterThan(low);
      expect(sizes(room, 'receptacle')).toBeLessThan(high);
      expect(sizes(room, 'object')).toBeGreaterThan(few);
      expect(sizes(room, 'object')).toBeLessThan(many);
    }
  });
});

it('a household is read as its file is', () => {
  const household = makeHousehold(order(8));
  for (const compat of ['corrected', 'alfworld'] as const) {
    const [short, long] = [
      openHousehold(household, compat),
      readGame(householdTexts(household, compat === 'corrected'), compat),
    ];
    const [one, other] = [new Session(short, compat), new Session(long, compat)];
    expect(one.start()).toBe(other.start());
    const random = new SeededRandom('walk');
    for (let turn = 0; turn < 60; turn += 1) {
      expect(one.admissible()).toEqual(other.admissible());
      const command = random.choice(one.admissible());
      expect(one.act(command).text).toBe(other.act(command).text);
    }
  }
});

describe('a scene', () => {
  it('is the same for every task in it', () => {
    const receptacles = (seed: number, kind: HouseholdOrder['kind']) =>
      things(makeHousehold(order(seed, { kind, room: 'kitchen', scene: 4 })).problem, 'receptacle');
    expect(receptacles(1, 'pick_heat_then_place_in_recep')).toEqual(receptacles(9, 'pick_and_place_simple'));
  });

  it('has what its tasks need, however small', () => {
    for (const room of roomNames) {
      const needed = rooms[room].furniture.slice(0, 4).map(({ kind }) => kind);
      for (let number = 0; number < 40; number += 1) {
        const kinds = makeScene(room, number, fewestReceptacles).receptacles.map(({ kind }) => kind);
        expect(kinds).toHaveLength(fewestReceptacles);
        expect(kinds).toEqual(expect.arrayContaining(needed));
      }
    }
  });

  it('lets few receptacles share a place, and the agent start at none', () => {
    const scenes = Array.from({ length: 40 }, (_, number) => makeScene('kitchen', number, null));
    const shared = scenes.map(
      ({ receptacles }) => receptacles.length - new Set(receptacles.map(({ place }) => place)).size,
    );
    expect(mean(shared)).toBeGreaterThan(0.5);
    expect(mean(shared)).toBeLessThan(4);
    for (const { receptacles, start } of scenes) expect(receptacles.map(({ place }) => place)).not.toContain(start);
  });
});

describe('random numbers', () => {
  it('depend on the text alone, and are evenly spread', () => {
    const draw = (seed: string) => {
      const stream = new SeededRandom(seed);
      return Array.from({ length: 50 }, () => stream.integer(0, 10));
    };
    expect(draw('a')).not.toEqual(draw('b'));
    expect(draw('a')).toEqual(draw('a'));
    const random = new SeededRandom('b');
    const counts = Array.from({ length: 10 }, () => 0);
    for (let index = 0; index < 20_000; index += 1) counts[random.integer(0, 10)]! += 1;
    for (const count of counts) expect(Math.abs(count - 2000)).toBeLessThan(200);
    expect(random.shuffle([1, 2, 3, 4, 5]).sort()).toEqual([1, 2, 3, 4, 5]);
    const firsts = new Set(Array.from({ length: 50 }, (_, seed) => new SeededRandom(`s${seed}`).integer(0, 1000)));
    expect(firsts.size).toBeGreaterThan(40);
  });
});
