import { describe, expect, it } from 'vitest';

import { playable, openRecorded } from '../fixtures/recorded-games.js';
import { SeededRandom } from '@agentgym/world-kit';
import type { Way } from '../pddl/condition.js';
import { readDomain } from '../pddl/domain.js';
import { readProblem } from '../pddl/problem.js';
import { Actions } from './actions.js';
import { Relation } from './relation.js';
import { Setting } from './setting.js';
import { State, type FactChanges } from './state.js';

const exact = { skipCommas: false };

/** The answers of a condition by trying all things for all variables. */
function tryAllThings(ways: readonly Way[], types: readonly string[], state: State): string[] {
  const found = new Set<string>();
  const holds = (way: Way, values: number[], variables: readonly number[], next: number): boolean => {
    if (next < variables.length) {
      const type = way.variables.find(({ number }) => number === variables[next])!.type;
      return state.setting.ofType(type).some((thing) => {
        values[variables[next]!] = thing;
        return holds(way, values, variables, next + 1);
      });
    }
    const value = (term: number | string) => (typeof term === 'number' ? values[term]! : state.numberOf(term)!);
    const isFact = ({ predicate, terms }: { predicate: string; terms: readonly (number | string)[] }) => {
      const relation = state.relation(predicate);
      return relation?.has(relation.keyOf(terms.map(value))) === true;
    };
    return (
      way.positive.every(isFact) &&
      !way.negative.some(isFact) &&
      way.equal.every(([one, other]) => value(one) === value(other)) &&
      way.different.every(([one, other]) => value(one) !== value(other)) &&
      way.never.every(
        (inner) =>
          !inner.some((each) =>
            holds(
              each,
              [...values],
              each.variables.map(({ number }) => number),
              0,
            ),
          ),
      )
    );
  };
  const run = (values: number[]) => {
    if (values.length < types.length) {
      for (const thing of state.setting.ofType(types[values.length]!)) run([...values, thing]);
      return;
    }
    for (const way of ways) {
      if (
        holds(
          way,
          [...values],
          way.variables.map(({ number }) => number),
          0,
        )
      )
        found.add(values.join());
    }
  };
  run([]);
  return [...found].sort();
}

const smallDomain = `(define (domain d) (:types a b - top top)
(:action one :parameters (?x - a ?y - top) :precondition (and (edge ?x ?y) (not (mark ?y))) :effect (mark ?y))
(:action two :parameters (?x - top ?y - top ?z - top)
  :precondition (and (edge ?x ?y) (edge ?y ?z) (not (= ?x ?z)) (or (mark ?y) (exists (?w - b) (and (edge ?z ?w) (mark ?w)))))
  :effect (and (not (mark ?y)) (edge ?z ?x)))
(:action three :parameters (?x - b) :precondition (forall (?y - top) (or (not (edge ?x ?y)) (mark ?y))) :effect (flip ?x))
(:action four :parameters (?x - top) :precondition (and (edge ?x ?x) (not (exists (?y - a) (edge ?y ?x)))) :effect (not (edge ?x ?x)))
(:action five :parameters (?x - top ?y - top) :precondition (= ?x ?y)
  :effect (and (forall (?z - top) (when (edge ?x ?z) (mark ?z))) (when (flip ?x) (not (flip ?x))) (when (not (flip ?x)) (flip ?x)))))`;

function randomSetting(seed: number): Setting {
  const random = new SeededRandom(`setting/${seed}`);
  const names = ['p', 'q', 'r', 's', 't', 'u'];
  const objects = names.map((name) => `${name} - ${random.choice(['a', 'b', 'top'])}`);
  const facts = Array.from({ length: 12 }, () => `(edge ${random.choice(names)} ${random.choice(names)})`);
  const marks = names.filter(() => random.uniform() < 0.3).map((name) => `(mark ${name})`);
  const problem = `(define (problem x) (:domain d) (:objects ${objects.join(' ')}) (:init ${[...facts, ...marks].join(' ')})
    (:goal (forall (?x - top) (mark ?x))))`;
  return new Setting(readDomain(smallDomain, exact), readProblem(problem, exact));
}

describe('the actions of a state', () => {
  it.each([1, 2, 3, 4, 5, 6])('are those that all things together allow, and do what they say (seed %i)', (seed) => {
    const state = new State(randomSetting(seed), false);
    const actions = new Actions(state, { dropIdle: false });
    const random = new SeededRandom(`walk/${seed}`);
    const isTrue = (predicate: string, ...things: number[]) => {
      const relation = state.relation(predicate)!;
      return relation.has(relation.keyOf(things));
    };
    for (let turn = 0; turn < 25; turn += 1) {
      for (const schema of state.setting.schemas) {
        const types = schema.parameters.map(({ type }) => type);
        const ours = actions.applicable().filter((action) => action.schema === schema);
        expect(ours.map(({ things }) => things.join()).sort()).toEqual(tryAllThings(schema.ways, types, state));
      }
      expect(actions.isWon()).toBe(state.setting.ofType('top').every((thing) => isTrue('mark', thing)));
      const action = random.choice(actions.applicable());
      const [x, y] = action.things as [number, number];
      const before = state.setting.ofType('top').map((thing) => isTrue('edge', x, thing) || isTrue('mark', thing));
      const flip = isTrue('flip', x);
      actions.apply(action);
      if (action.schema.name === 'one') expect(isTrue('mark', y)).toBe(true);
      if (action.schema.name === 'two')
        expect([isTrue('mark', y), isTrue('edge', action.things[2]!, x)]).toEqual([false, true]);
      if (action.schema.name === 'four') expect(isTrue('edge', x, x)).toBe(false);
      if (action.schema.name === 'five') {
        expect(state.setting.ofType('top').map((thing) => isTrue('mark', thing))).toEqual(before);
        expect(isTrue('flip', x)).toBe(!flip);
      }
    }
  });

  it('come in the same order whatever happened before', () => {
    const game = openRecorded(playable[0]!);
    const [one, other] = [new State(game.setting, true), new State(game.setting, true)];
    const [ours, theirs] = [new Actions(one, { dropIdle: true }), new Actions(other, { dropIdle: true })];
    const random = new SeededRandom('walk');
    for (let turn = 0; turn < 200; turn += 1) ours.apply(random.choice(ours.applicable()));
    other.restore(JSON.parse(JSON.stringify(one.changes())) as FactChanges);
    const shown = (actions: Actions) => actions.applicable().map(({ schema, things }) => [schema.name, ...things]);
    expect(shown(ours)).toEqual(shown(theirs));
    expect(one.changes()).toEqual(other.changes());
    one.reset();
    expect(one.changes()).toEqual({});
    expect(shown(ours)).toEqual(shown(new Actions(new State(game.setting, true), { dropIdle: true })));
  });
});

describe('what texts are told', () => {
  const texts = (tells: boolean) => {
    const game = openRecorded(playable.find(({ task_type }) => task_type === 'look_at_obj_in_light')!);
    const state = new State(game.setting, tells);
    const actions = new Actions(state, { dropIdle: true });
    const isTold = (predicate: string) => (state.asTold().told(predicate)?.size ?? 0) > 0;
    const act = (name: string) => actions.apply(actions.applicable().find(({ schema }) => schema.name === name)!);
    return { state, actions, isTold, act };
  };

  it('is what an action has made false, but not what was false before', () => {
    const { isTold, act, actions } = texts(true);
    expect(isTold('not_inreceptacle')).toBe(false);
    for (
      let turn = 0;
      turn < 30 && !actions.applicable().some(({ schema }) => schema.name === 'pickupobject');
      turn += 1
    ) {
      actions.apply(actions.applicable().filter(({ schema }) => schema.name === 'gotolocation')[turn % 5]!);
    }
    act('pickupobject');
    expect(isTold('not_inreceptacle')).toBe(true);
  });

  it('is every effect of an action whatever its condition, the last one that it is false', () => {
    const { state, actions, isTold, act } = texts(true);
    const lamp = state.setting.names.findIndex((name) => name.startsWith('desklamp'));
    const place = [...state.setting.start.get('objectatlocation')!.start].find(({ things }) => things[0] === lamp)!
      .things[1];
    actions.apply(
      actions.applicable().find(({ schema, things }) => schema.name === 'gotolocation' && things[2] === place)!,
    );
    act('toggleobject');
    expect([state.relation('ison')!.size, state.asTold().told('ison')!.size, isTold('not_ison')]).toEqual([1, 0, true]);
  });

  it('is that a fact holds if an action makes it both true and false', () => {
    const domain = `(define (domain d) (:action move :parameters (?x ?y) :precondition (and (at ?x) (way ?x ?y))
      :effect (and (not (at ?x)) (at ?y) (moved))))`;
    const problem = '(define (problem p) (:domain d) (:objects a b) (:init (at a) (way a a) (way a b)) (:goal (at b)))';
    const state = new State(new Setting(readDomain(domain, exact), readProblem(problem, exact)), true);
    const actions = new Actions(state, { dropIdle: true });
    const told = (predicate: string) => state.asTold().told(predicate)?.changes().length;
    actions.apply(actions.applicable().find(({ things }) => things[0] === things[1])!);
    expect([told('at'), told('not_at'), told('moved')]).toEqual([0, 0, 1]);
    actions.apply(actions.applicable().find(({ things }) => things[0] !== things[1])!);
    expect([told('at'), told('not_at')]).toEqual([2, 1]);
  });

  it('is the truth, and nothing of what is false, where that is asked for', () => {
    const { state } = texts(false);
    expect(state.asTold().told('ison')).toBe(state.relation('ison'));
    expect(state.asTold().told('not_inreceptacle')).toBeUndefined();
  });
});

describe('a relation', () => {
  it('finds its facts by any of their places, as they are now', () => {
    const relation = new Relation(5, [
      [1, 2],
      [3, 2],
      [1, 4],
    ]);
    const things = (places: number, part: number) => relation.find(places, part).map((tuple) => tuple.things.join(''));
    expect([things(0, 0), things(1, 1), things(2, 2), things(3, relation.keyOf([3, 2]))]).toEqual([
      ['12', '14', '32'],
      ['12', '14'],
      ['12', '32'],
      ['32'],
    ]);
    relation.set([1, 3], true);
    relation.set([1, 2], false);
    relation.set([1, 2], false);
    expect([things(0, 0), things(1, 1), things(2, 2), relation.version]).toEqual([
      ['13', '14', '32'],
      ['13', '14'],
      ['32'],
      2,
    ]);
    expect(relation.changes().map((tuple) => tuple.things)).toEqual([
      [1, 2],
      [1, 3],
    ]);
    relation.reset();
    expect([things(1, 1), relation.changes()]).toEqual([['12', '14'], []]);
  });
});

describe('a setting is refused', () => {
  const open = (facts: string, objects = 'a b - top') =>
    new Setting(
      readDomain(smallDomain, exact),
      readProblem(`(define (problem x) (:domain d) (:objects ${objects}) (:init ${facts}) (:goal (mark a)))`, exact),
    );

  it.each([
    ['(edge a z)', 'the fact (edge a z) has "z", which is not in :objects'],
    ['(edge a)', 'the predicate edge has 1 and 2 terms'],
    [`(big ${'a '.repeat(40)})`, 'the predicate big has 40 terms; with 2 objects, 33 are possible'],
  ])('for the facts %s', (facts, message) => {
    expect(() => open(facts)).toThrow(message);
  });
});
