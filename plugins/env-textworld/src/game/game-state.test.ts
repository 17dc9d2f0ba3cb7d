import { describe, expect, it } from 'vitest';

import { compareEntities } from '../logic/facts.js';
import type { Entity, Fact, Rule } from '../logic/logic.js';
import { parseLogic } from '../logic/parse-logic.js';
import { signatureOrder } from '../logic/signature-order.js';
import { isConstant } from '../logic/type-tree.js';
import { action, entity, fact, smallGame, twoRooms } from './fixtures/small-game.js';
import { recordedGame, recordedGames } from './fixtures/recorded-games.js';
import { GameState } from './game-state.js';
import type { Game } from './game.js';

/** All actions by plain trial, as the original finds them: every fact for every pattern, one after the other. */
function allActions(game: Game, facts: readonly Fact[]): string[] {
  const constants = game.logic.types.names.filter(isConstant);
  const all = [...new Set(facts.flatMap(({ entities }) => entities))];
  const found: string[] = [];
  const tryRule = (rule: Rule, depth: number, bound: ReadonlyMap<string, Entity>): void => {
    const pattern = rule.before[depth];
    if (!pattern) {
      const free = rule.placeholders.filter(({ name }) => !bound.has(name));
      const taken = new Set(bound.values());
      const fits = (type: string): Entity[] =>
        all
          .filter((each) => !taken.has(each) && game.logic.types.isA(each.type, type))
          .sort((one, other) => compareEntities([one], [other]));
      const [first] = free;
      if (first) for (const each of fits(first.type)) tryRule(rule, depth, new Map([...bound, [first.name, each]]));
      else found.push([rule.name, ...rule.placeholders.map(({ name }) => bound.get(name)!.id)].join(' '));
      return;
    }
    const order = signatureOrder(game.logic.types, pattern);
    const rank = (each: Fact): number => order.get(each.entities.map(({ type }) => type).join(' ')) ?? -1;
    const fitting = facts
      .filter((each) => each.name === pattern.name && each.entities.length === pattern.placeholders.length)
      .filter((each) => rank(each) >= 0)
      .sort((one, other) => rank(one) - rank(other) || compareEntities(one.entities, other.entities));
    for (const each of fitting) {
      const next = new Map(bound);
      const fits = pattern.placeholders.every(({ name }, index) => {
        const given = each.entities[index]!;
        if (next.has(name)) return next.get(name)!.id === given.id;
        if ([...next.values()].some(({ id }) => id === given.id)) return false;
        next.set(name, given);
        return true;
      });
      if (fits) tryRule(rule, depth + 1, next);
    }
  };
  const bound = new Map(constants.map((name) => [name, { id: name, type: name }]));
  for (const rule of game.logic.rules.values()) tryRule(rule, 0, bound);
  return found;
}

const written = (state: GameState): string[] =>
  state.actions().map(({ rule, entities }) => [rule, ...entities.map(({ id }) => id)].join(' '));

/** Numbers that look random, and are the same every time. */
function numbers(seed: number): (limit: number) => number {
  let value = seed;
  return (limit) => {
    value = (value * 48271) % 2147483647;
    return value % limit;
  };
}

describe('actions', () => {
  it.each(recordedGames.map(({ name }) => name))('are those of a plain search, in its order: %s', (name) => {
    const game = recordedGame(name);
    const state = GameState.start(game);
    const random = numbers(7);
    for (let step = 0; step < 25; step++) {
      expect(written(state)).toEqual(allActions(game, state.facts()));
      const changing = state.actions().filter(({ adds }) => adds.length > 0);
      state.apply(changing[random(changing.length)]!);
    }
  });

  it('try types below a type after it, in alphabetical order, and ids by their characters', () => {
    const logic = parseLogic(`
      type P { } type r { } type t { } type c : t { } type a : t { } type b : c { }
      type x { rules { see :: at(P, r) & $at(t, r) -> at(P, r); meet :: at(P, r) & $is(t) & $is(t') -> at(P, r); } }
    `);
    const facts = [
      'at P r_0',
      'at b_0 r_0',
      'at c_10 r_0',
      'at c_9 r_0',
      'at t_0 r_0',
      'at a_0 r_0',
      'is b_0',
      'is a_0',
    ];
    const state = GameState.start(smallGame(facts, [], logic));
    expect(written(state)).toEqual([
      'meet P r_0 a_0 b_0',
      'meet P r_0 b_0 a_0',
      'see P r_0 t_0',
      'see P r_0 a_0',
      'see P r_0 c_10',
      'see P r_0 c_9',
      'see P r_0 b_0',
    ]);
  });

  it('are the same objects whenever a rule applies to the same entities', () => {
    const game = smallGame(twoRooms, []);
    const state = GameState.start(game);
    const before = state.actionFor('open c 0')!;
    state.apply(before);
    expect(state.isApplicable(before)).toBe(false);
    state.apply(state.actionFor('close c 0')!);
    expect(state.actionFor('open c 0')).toBe(before);
    expect(GameState.start(game).actions()).toContain(before);
  });
});

describe('commands', () => {
  it('are sorted by code points, each once', () => {
    const state = GameState.start(smallGame(twoRooms, []));
    expect(state.admissible()).toEqual([
      'examine c 0',
      'examine o 10',
      'examine o 2',
      'examine o 3',
      'examine s 0',
      'go east',
      'inventory',
      'look',
      'open c 0',
      'take o 10',
      'take o 2',
      'take o 3 from s 0',
    ]);
  });

  it('mean the action with most needs, or the first one', () => {
    const logic = parseLogic(`
      type P { } type r { } type o { }
      type x {
        rules { a :: at(P, r) -> at(P, r); b :: at(P, r) & $at(o, r) -> at(P, r); c :: at(P, r) & $is(o) -> at(P, r); }
        inform7 { commands { a :: "wait" :: ""; b :: "wait" :: ""; c :: "wait" :: ""; } }
      }
    `);
    const state = GameState.start(smallGame(['at P r_0', 'at o_0 r_0', 'is o_0'], [], logic));
    expect(state.actionFor('wait')?.rule).toBe('b');
    expect(state.actionFor('wait', 'first')?.rule).toBe('a');
    expect(state.actions().map(({ rule }) => rule)).toEqual(['a', 'b', 'c']);
    expect(state.actionFor('__proto__')).toBeUndefined();
    expect(state.actionFor('Wait')).toBeUndefined();
  });

  it('are one array until a fact changes', () => {
    const state = GameState.start(smallGame(twoRooms, []));
    const commands = state.admissible();
    state.apply(state.actionFor('look')!);
    expect(state.admissible()).toBe(commands);
    state.apply(state.actionFor('go east')!);
    expect(state.admissible()).toEqual(['examine f 0', 'go west', 'inventory', 'look', 'take f 0']);
  });
});

describe('facts', () => {
  it('change by an action that is possible, and by no other', () => {
    const state = GameState.start(smallGame(twoRooms, []));
    expect(state.apply(action('take/c P r_0 c_0 o_1 I'))).toBe(false);
    expect(state.apply(action('take P r_0 o_2 I'))).toBe(true);
    expect(state.has(fact('in o_2 I'))).toBe(true);
    expect(state.has(fact('at o_2 r_0'))).toBe(false);
    expect(state.has(fact('in nobody_0 I'))).toBe(false);
    expect(state.apply(action('eat o_2 I'))).toBe(false);
    expect(state.facts()).toHaveLength(twoRooms.length);
  });
});

describe('contents', () => {
  const ids = (state: GameState, holder: string): string[] => state.contents(entity(holder)).map(({ id }) => id);

  it('are in the order of the facts; what is moved comes first', () => {
    const state = GameState.start(smallGame(twoRooms, []));
    expect(ids(state, 'r_0')).toEqual(['c_0', 's_0', 'o_2', 'o_10']);
    state.apply(state.actionFor('take o 2')!);
    state.apply(state.actionFor('take o 10')!);
    expect(ids(state, 'I')).toEqual(['o_10', 'o_2']);
    state.apply(state.actionFor('put o 2 on s 0')!);
    expect(ids(state, 's_0')).toEqual(['o_2', 'o_3']);
    state.apply(state.actionFor('drop o 10')!);
    expect(ids(state, 'r_0')).toEqual(['o_10', 'c_0', 's_0']);
    expect(state.holder(entity('o_2'))?.id).toBe('s_0');
    expect(ids(state, 'nowhere_0')).toEqual([]);
  });

  it('lose what is eaten', () => {
    const state = GameState.start(smallGame(['at P r_0', 'in f_0 I', 'in f_1 I'], []));
    state.apply(state.actionFor('eat f 0')!);
    expect(ids(state, 'I')).toEqual(['f_1']);
    expect(state.holder(entity('f_0'))).toBeUndefined();
  });
});

describe('copies', () => {
  it('go their own ways', () => {
    const state = GameState.start(smallGame(twoRooms, []));
    const copy = state.copy();
    copy.apply(copy.actionFor('go east')!);
    copy.apply(copy.actionFor('take f 0')!);
    expect(state.admissible()).toContain('go east');
    expect(state.has(fact('at f_0 r_1'))).toBe(true);
    expect(written(state)).toEqual(allActions(state.game, state.facts()));
    expect(written(copy)).toEqual(allActions(copy.game, copy.facts()));
  });
});

describe('keys', () => {
  const after = (...commands: string[]): GameState => {
    const state = GameState.start(game);
    for (const command of commands) state.apply(state.actionFor(command)!);
    return state;
  };
  const game = smallGame(twoRooms, []);

  it('are equal for equal facts in equal order', () => {
    expect(after('go east', 'go west', 'open c 0', 'close c 0').key()).toBe(after('look').key());
    expect(after('open c 0').key()).not.toBe(after().key());
  });

  it('tell the order of things apart, where facts are equal', () => {
    const one = after('take o 2', 'take o 10');
    const other = after('take o 10', 'take o 2');
    expect(one.factsKey()).toBe(other.factsKey());
    expect(one.key()).not.toBe(other.key());
  });
});

describe('an action from elsewhere', () => {
  it('is known whatever the order of its facts', () => {
    for (const setting of ['w2-o3-q4', 'w8-o12-q16']) {
      const state = GameState.start(recordedGame(setting));
      const [own] = state.actions().filter(({ before }) => before.length > 1);
      const { rule, before, after } = own!;
      const other = { rule, before: before.toReversed(), after: after.toReversed() };
      expect(state.table.intern(other)).toBe(own);
      expect(state.table.intern({ ...other, before: before.slice(1) })).toBeUndefined();
    }
  });
});
