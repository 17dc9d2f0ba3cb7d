import { describe, expect, it } from 'vitest';

import { event, quest, smallGame, twoRooms } from '../game/fixtures/small-game.js';
import { complete } from '../fixtures/play.js';
import type { Game } from '../game/game.js';
import { generateCustom } from '../generate/custom.js';
import type { Entity, Fact } from '../logic/logic.js';
import { writeProse } from '../prose/write-prose.js';
import { aboutGame } from './about-game.js';
import { clusterOf, type Structure } from './cluster.js';
import { generators } from './generators.js';

const takeFood = quest({ wins: [event(['in f_0 I'], ['go/east P r_0 r_1', 'take P r_1 f_0 I'])] });
/** The way back too, which the plan does not need, but the map. */
const house = [...twoRooms, 'east_of r_1 r_0'];
const sizes = { rooms: 2, objects: 3, questLength: 4 };
const small = (facts: readonly string[], quests = [takeFood]): Game => smallGame(facts, quests);

/** The structure with other ids: all numbers are moved on, so no id means what it meant. */
function renumbered<Given extends Structure>(game: Given): Given {
  const renamed = (id: string) => id.replace(/_(\d+)$/, (_, number: string) => `_${Number(number) + 50}`);
  const text = JSON.stringify({ facts: game.facts, quests: game.quests });
  const change = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(change);
    if (typeof value !== 'object' || value === null) return value;
    const copy = Object.fromEntries(Object.entries(value).map(([key, inside]) => [key, change(inside)]));
    return typeof copy['id'] === 'string' ? { ...copy, id: renamed(copy['id']) } : copy;
  };
  return { ...game, ...(change(JSON.parse(text)) as Structure) };
}

describe('the cluster of a game', () => {
  const cluster = clusterOf(small(house));

  it('is the same for a game with other words or ids', () => {
    expect(cluster).toMatch(/^[0-9a-f]{16}$/);
    const game = small(house);
    expect(clusterOf({ ...game, objective: 'Eat.', infos: new Map() } as Game)).toBe(cluster);
    expect(clusterOf(renumbered(game))).toBe(cluster);
    const draft = generateCustom(sizes, 17);
    const written = writeProse(draft, { seed: 17, instructions: 'steps' });
    expect(clusterOf(written)).toBe(clusterOf(draft));
    expect(clusterOf(writeProse(draft, { seed: 18, instructions: 'last' }))).toBe(clusterOf(draft));
    expect(clusterOf(renumbered(draft))).toBe(clusterOf(draft));
  });

  it('is the same with other distractors, in any order of the facts', () => {
    const more = ['at o_77 r_1', 'in o_78 c_0', 'at c_9 r_0', 'closed c_9', 'in o_79 c_9'];
    expect(clusterOf(small([...house, ...more]))).toBe(cluster);
    expect(clusterOf(small(house.filter((line) => !line.includes('o_'))))).toBe(cluster);
    expect(clusterOf(small([...more, ...house].reverse()))).toBe(cluster);
  });

  it.each<[string, Structure]>([
    ['another quest', small(house, [quest({ wins: [event(['in o_2 I'], ['take P r_0 o_2 I'])] })])],
    ['another reward', small(house, [{ ...takeFood, reward: 2 }])],
    ['an optional quest', small(house, [{ ...takeFood, optional: true }])],
    ['another quest too', small(house, [takeFood, quest({ wins: [event(['open c_0'], [])] })])],
    ['a way to lose', small(house, [{ ...takeFood, fails: [event(['eaten f_0'])] }])],
    ['another way to win', small(house, [{ ...takeFood, wins: [...takeFood.wins, event(['in o_2 I'])] }])],
    [
      'a longer way',
      small(house, [
        { ...takeFood, wins: [event(['in f_0 I'], ['look P r_0', 'go/east P r_0 r_1', 'take P r_1 f_0 I'])] },
      ]),
    ],
    [
      'another direction',
      small(house.map((line) => line.replace('west_of', 'north_of').replace('east_of', 'south_of'))),
    ],
    ['another room', small([...house, 'west_of r_1 r_2', 'east_of r_2 r_1', 'free r_1 r_2', 'free r_2 r_1'])],
    ['a door', small([...house, 'link r_0 d_0 r_1', 'link r_1 d_0 r_0', 'open d_0'])],
    ['a thing of the quest in another place', small(house.map((line) => line.replace('at f_0 r_1', 'at f_0 r_0')))],
  ])('is another one for %s', (_, game) => {
    expect(clusterOf(game)).not.toBe(cluster);
  });

  it('tells a closed door from an open one', () => {
    const [open, closed] = ['open d_0', 'closed d_0'].map((state) =>
      clusterOf(small([...house, 'link r_0 d_0 r_1', 'link r_1 d_0 r_0', state])),
    );
    expect(open).not.toBe(closed);
  });

  it('does not confuse entities whose names run together', () => {
    const wins = (line: string) => [quest({ wins: [event([line, 'at o_2 r_1'])] })];
    expect(clusterOf(small(house, wins('in o_2 c_0')))).not.toBe(clusterOf(small(house, wins('on o_2 s_0'))));
  });

  it('is the same for a seed with 3 objects and with 12, where the quest is the same', () => {
    const ruleOf = (game: Structure) => game.quests.map(({ wins }) => wins[0]!.actions.map(({ rule }) => rule));
    const places = ({ facts }: Structure) => facts.filter(({ name }: Fact) => name.endsWith('_of')).length;
    for (let seed = 1; seed <= 25; seed += 1) {
      const [few, many] = [3, 12].map((objects) => generateCustom({ ...sizes, objects }, seed));
      expect(ruleOf(many!)).toEqual(ruleOf(few!));
      expect(places(many!)).toBe(places(few!));
      expect(clusterOf(many!)).toBe(clusterOf(few!));
      expect(many!.facts.length).toBeGreaterThan(few!.facts.length);
    }
  });

  it('is seldom the same for different seeds', () => {
    const clusters = Array.from({ length: 25 }, (_, seed) =>
      clusterOf(generateCustom({ rooms: 4, objects: 6, questLength: 8 }, seed)),
    );
    expect(new Set(clusters).size).toBeGreaterThan(20);
  });
});

describe('the labels of a game', () => {
  it('count rooms, things and the different actions of the plan', () => {
    const lines = [...house, 'link r_0 d_0 r_1', 'link r_1 d_0 r_0', 'open d_0'];
    const again = quest({
      wins: [event(['eaten f_0'], ['go/east P r_0 r_1', 'take P r_1 f_0 I', 'eat f_0 I'])],
    });
    const about = aboutGame(small(lines, [takeFood, again]));
    // Seven things: the door, the player and the inventory are none.
    expect(about.labels).toEqual({ rooms: 2, objects: 7, questLength: 3, commands: 'eat go/east take' });
  });

  it('name the verbs of commands', () => {
    const { labels } = aboutGame(generateCustom(sizes, 17));
    expect(labels).toMatchObject({ rooms: 2, questLength: 4 });
    expect(labels!['commands']).toMatch(/^[a-z]+( [a-z]+)*$/);
    expect(Number(labels!['objects'])).toBeGreaterThanOrEqual(3);
  });

  it('tell nothing of a plan where none is known', () => {
    expect(aboutGame(small(house, [quest({ wins: [event(['in f_0 I'])] })])).labels).toMatchObject({
      questLength: 0,
      commands: '',
    });
  });

  it('leave the book-keeping of cooking games out', () => {
    const draft = generators.cooking(complete('cooking', { recipe: 2, take: 2, drop: true })).draft(17, 'train');
    const types = new Map(draft.facts.flatMap(({ entities }) => entities.map(({ id, type }: Entity) => [id, type])));
    const things = [...types.values()].filter(
      (type) => 'ofcskmt'.includes(type) || ['stove', 'oven', 'toaster', 'meal'].includes(type),
    );
    expect(types.size).toBeGreaterThan(things.length + 3);
    expect(aboutGame(draft).labels!['objects']).toBe(things.length);
  });

  it('are those of the written game', () => {
    const draft = generateCustom(sizes, 3);
    expect(aboutGame(writeProse(draft, { seed: 3, instructions: 'steps' }))).toEqual(aboutGame(draft));
  });
});
