import { describe, expect, it } from 'vitest';

import { houseLogic } from '../logic/house-logic.js';
import { action, event, fact, quest, smallGame, twoRooms } from './fixtures/small-game.js';
import { recordedGame, recordedGames } from './fixtures/recorded-games.js';
import { GameError } from './game-error.js';
import { readGame } from './read-game.js';
import { writeGame } from './write-game.js';

type Json = Record<string, unknown> & {
  world: { name: string; arguments: { name: string; type: string }[] }[];
  quests: Record<string, unknown>[];
  infos: [string, Record<string, unknown>][];
  KB: Record<string, unknown>;
};

interface Win {
  actions: { name: string }[];
  condition: { preconditions: { name: string; arguments: { name: string; type: string }[] }[] };
}

const takeFood = quest({ wins: [event(['in f_0 I'], ['go/east P r_0 r_1', 'take P r_1 f_0 I'])] });

/** The file of a small game, to be spoilt. */
const file = (): Json => JSON.parse(JSON.stringify(writeGame(smallGame(twoRooms, [takeFood])))) as Json;

const add = (json: Json, ...lines: string[]): void => {
  for (const line of lines) {
    const { name, entities } = fact(line);
    json.world.push({ name, arguments: entities.map(({ id, type }) => ({ name: id, type })) });
    for (const { id, type } of entities)
      if (!json.infos.some(([known]) => known === id)) json.infos.push([id, { id, type, name: id }]);
  }
};

const first = (json: Json): Record<string, unknown> => json.quests[0]!;
const win = (json: Json): Win => (first(json)['win_events'] as Win[])[0]!;

describe('readGame', () => {
  it('reads what the original wrote', () => {
    const game = recordedGame('tw-cooking-b');
    expect(game.facts[0]).toMatchObject({ name: 'at', entities: [{ id: 'P' }, { id: 'r_3', type: 'r' }] });
    expect(game.infos.get('r_0')).toMatchObject({ type: 'r', name: 'kitchen', synonyms: [] });
    expect(game.quests[1]).toMatchObject({ reward: 1, optional: false, repeatable: false });
    expect(game.quests[1]!.wins[0]!.actions[1]).toMatchObject({ rule: 'go/north', command: 'go north' });
    expect(game.walkthrough?.[0]).toBe('inventory');
    expect(game.maximumScore).toBe(8);
  });

  it.each(recordedGames.map(({ name }) => name))('reads again what writeGame writes: %s', (name) => {
    const written = JSON.stringify(writeGame(recordedGame(name)));
    expect(JSON.stringify(writeGame(readGame(JSON.parse(written))))).toBe(written);
  });

  it('sorts the facts, and makes up for what may be missing', () => {
    const json = file();
    json.world.reverse();
    for (const key of ['version', 'metadata', 'objective', 'grammar']) Reflect.deleteProperty(json, key);
    for (const key of ['reward', 'commands', 'optional']) Reflect.deleteProperty(json.quests[0]!, key);
    json.quests[0]!['desc'] = 'Take it.';
    json.quests.push({ ...json.quests[0], desc: 'Eat it.', reward: 3, optional: true });
    const game = readGame(json);
    expect(game.facts.map(({ name }) => name)).toEqual([...twoRooms].map((line) => line.split(' ')[0]).sort());
    expect(game).toMatchObject({ objective: 'Take it.\nAND\nEat it.', walkthrough: undefined, maximumScore: 4 });
  });

  it('takes what the last action leaves for a condition that is not given', () => {
    const json = file();
    win(json).condition.preconditions = [];
    const names = readGame(json).quests[0]!.wins[0]!.condition.map(({ name, entities }) => [name, entities[0]!.id]);
    expect(names).toEqual(action('take P r_1 f_0 I').after.map(({ name, entities }) => [name, entities[0]!.id]));
  });

  it('has no highest score where a rewarded quest is repeatable', () => {
    const json = file();
    json.quests.push({ ...json.quests[0], optional: true, repeatable: true });
    expect(readGame(json).maximumScore).toBe(Infinity);
  });

  it.each<[string, (json: Json) => unknown, string]>([
    ['another version', (json) => (json['version'] = 2), 'version: only version 1 can be read'],
    ['no logic', (json) => delete json.KB['logic'], 'KB.logic: not a text'],
    ['a wrong logic', (json) => (json.KB['logic'] = 'type'), 'KB.logic: line 1: expected a name'],
    ['no world', (json) => delete (json as Partial<Json>).world, 'world: not a list'],
    ['a fact without a name', (json) => delete (json.world[2] as { name?: string }).name, 'world[2].name: not a text'],
    ['an unknown fact', (json) => (json.world[0]!.name = 'toString'), 'world[0].name: the logic has no fact `toString`'],
    ['an unknown type', (json) => (json.world[0]!.arguments[1]!.type = 'x'), 'world[0].arguments[1].type: no type is called `x`'],
    ['two types', (json) => { add(json, 'at s_1 r_0'); json.world.at(-1)!.arguments[0] = { name: 'c_0', type: 's' }; }, '`c_0` has the types `c` and `s`'],
    ['no information', (json) => json.infos.splice(3, 1), 'infos: nothing about `'],
    ['information twice', (json) => json.infos.push(json.infos[0]!), 'is there twice'],
    ['another type', (json) => (json.infos.find(([id]) => id === 'c_0')![1]['type'] = 'd'), '`c_0` has another type than in the world'],
    ['a name that is no text', (json) => (json.infos[4]![1]['name'] = 5), 'infos[4][1].name: not a text'],
    ['a list for a pair', (json) => (json.infos[4] = [] as never), 'infos[4]: not a pair'],
    ['two places', (json) => { add(json, 'at o_1 r_1'); }, 'world: `o_1` is in two places: at(o_1, r_1) and in(o_1, c_0)'],
    ['things in each other', (json) => { add(json, 'in c_1 c_2', 'in c_2 c_1'); }, 'is inside itself'],
    ['a thing in itself', (json) => { add(json, 'in c_1 c_1'); }, 'world: `c_1` is inside itself: in(c_1, c_1)'],
    ['no player', (json) => { json.world = json.world.filter(({ arguments: [thing] }) => thing!.name !== 'P'); }, 'world: the player is nowhere'],
    ['two rooms for the player', (json) => { add(json, 'at P r_1'); }, 'world: the player is in 2 rooms'],
    ['a player in a box', (json) => { json.world = json.world.filter(({ arguments: [thing] }) => thing!.name !== 'P'); add(json, 'at P c_0'); }, 'which is no room'],
    ['two exits', (json) => { add(json, 'west_of r_7 r_1'); }, 'world: `r_1` has two exits in a direction'],
    ['quests without events', (json) => (first(json)['win_events'] = []), 'quests[0]: neither win_events nor fail_events'],
    ['a required repeatable quest', (json) => (first(json)['repeatable'] = true), 'quests[0].repeatable: only an optional quest'],
    ['a reward that is no number', (json) => (first(json)['reward'] = '1'), 'quests[0].reward: not a number'],
    ['a flag that is no flag', (json) => (first(json)['optional'] = 1), 'quests[0].optional: neither true nor false'],
    ['an unknown rule', (json) => (win(json).actions[1]!.name = 'fly'), 'quests[0].win_events[0].actions[1].name: no rule is called `fly`'],
    ['an unknown entity', (json) => (win(json).condition.preconditions[0]!.arguments[0]!.name = 'f_9'), 'quests[0].win_events[0].condition.preconditions[0].arguments[0]: `f_9` is not in the world'],
    ['nothing that must be done', (json) => (first(json)['optional'] = true), 'quests: nothing must be completed'],
    ['a fact that cannot be', (json) => { win(json).actions = []; win(json).condition.preconditions = [{ name: 'locked', arguments: [{ name: 'c_0', type: 'c' }] }]; }, 'quests[0] cannot be completed: locked(c_0) can never hold'],
    ['facts that exclude each other', (json) => { win(json).actions = []; win(json).condition.preconditions = ['open', 'closed'].map((name) => ({ name, arguments: [{ name: 'c_0', type: 'c' }] })); }, 'all that could help was tried, and nothing wins'],
  ])('refuses %s', (_, spoil, message) => {
    const json = file();
    expect(() => readGame(json)).not.toThrow();
    spoil(json);
    expect(() => readGame(json)).toThrow(GameError);
    expect(() => readGame(json)).toThrow(message);
  }); // prettier-ignore

  it.each([null, 'text', 5, [], {}])('refuses %j', (json) => {
    expect(() => readGame(json)).toThrow(GameError);
  });

  it('refuses more than it can take', () => {
    const json = file();
    json.world = Array.from({ length: 20_001 }, () => json.world[0]!);
    expect(() => readGame(json)).toThrow('world: more than 20000 items (20001)');
  });

  it('refuses a world with more possible actions than it can keep', () => {
    const json = file();
    const rule = `x :: at(P, r) & is(a) & is(a') & is(a'') & is(a''') -> at(P, r);`;
    json.KB['logic'] = `${houseLogic().text} type a { rules { ${rule} } }`;
    add(json, ...Array.from({ length: 40 }, (_, index) => `is a_${index}`));
    expect(() => readGame(json)).toThrow('world: too many actions are possible at the start');
  });

  it('does not take the keys of a prototype for data', () => {
    const json = JSON.parse(
      `{"__proto__": {"world": []}, "KB": {"logic": ${JSON.stringify(houseLogic().text)}}}`,
    ) as unknown;
    expect(() => readGame(json)).toThrow('world: not a list');
  });
});
