import { describe, expect, it } from 'vitest';

import { Actions } from '../engine/actions.js';
import { State, type FactChanges } from '../engine/state.js';
import { readGame, type Game } from '../game/game.js';
import { actionFor, checkPlayable } from '../game/playable.js';
import { Session } from '../game/session.js';
import { householdTexts, makeHousehold, type HouseholdOrder } from '../generate/household.js';
import { SeededRandom } from '@agentgym/world-kit';
import { taskKindNames, taskKinds } from '../generate/task-kinds.js';
import { Planner } from './planner.js';
import { taskKindOf } from './task-kind-of.js';

const order = (seed: number, sizes: Partial<HouseholdOrder> = {}): HouseholdOrder => {
  const kind = taskKindNames[seed % taskKindNames.length]!;
  const { rooms } = taskKinds[kind];
  return { room: rooms[seed % rooms.length]!, scene: seed, kind, seed, receptacles: 6, objects: 4, ...sizes };
};
const openGame = (given: HouseholdOrder, goal = '(and $&)'): Game => {
  const texts = householdTexts(makeHousehold(given), false);
  return readGame(
    { ...texts, problem: texts.problem.replace(/(?<=\(:goal )\(and .*\)(?=\)\n\)\n)/, goal) },
    'alfworld',
  );
};

const idle = new Set(['look', 'inventory', 'help', 'examinereceptacle', 'examineobject']);

/** The number of actions of a shortest way to the goal, by going all ways. */
function shortestWay(game: Game, from: FactChanges): number {
  const state = new State(game.setting, false);
  const actions = new Actions(state, { dropIdle: true });
  const key = () => state.key((predicate) => predicate !== 'checked');
  let border = [from];
  const seen = new Set<string>();
  for (let turns = 0; border.length > 0; turns += 1) {
    const next: FactChanges[] = [];
    for (const changes of border) {
      state.restore(changes);
      if (actions.isWon()) return turns;
      for (const action of actions.applicable()) {
        if (idle.has(action.schema.name)) continue;
        state.restore(changes);
        actions.apply(action);
        if (seen.has(key())) continue;
        seen.add(key());
        next.push(state.changes());
      }
    }
    border = next;
    if (seen.size > 20_000) return Infinity;
  }
  return Infinity;
}

const wander = (game: Game, seed: number, turns: number): State => {
  const state = new State(game.setting, false);
  const actions = new Actions(state, { dropIdle: true });
  const random = new SeededRandom(`wander/${seed}`);
  for (let turn = 0; turn < turns; turn += 1) {
    const all = actions.applicable();
    const busy = all.filter(({ schema }) => !idle.has(schema.name) && schema.name !== 'gotolocation');
    actions.apply(random.choice(busy.length > 0 && random.uniform() < 0.6 ? busy : all));
  }
  return state;
};

/** Wanders until the agent holds something that the task does not ask for. */
function wanderHolding(game: Game, seed: number): State | undefined {
  for (let turns = 5; turns < 60; turns += 1) {
    const state = wander(game, seed, turns);
    const { house, errands } = new Planner(state);
    const wanted = errands!.flatMap(({ deliveries }) => deliveries.map(({ thing }) => thing));
    if (house.hand !== -1 && !wanted.includes(house.hand)) return state;
  }
  return undefined;
}

describe('a plan', () => {
  it.each([0, 1, 2, 3, 4, 5])('is as short as any way, from the start and after wandering (kind %i)', (kind) => {
    let compared = 0;
    for (const seed of [kind, kind + 6]) {
      const game = openGame(order(seed, { receptacles: 6, objects: 2 }));
      for (const turns of [0, 9]) {
        const state = wander(game, seed, turns);
        const shortest = shortestWay(game, state.changes());
        if (shortest === Infinity) continue;
        compared += 1;
        expect(new Planner(state).plan()!.deeds.length, `seed ${seed} after ${turns}`).toBe(shortest);
      }
    }
    expect(compared).toBeGreaterThan(1);
  });

  it('puts down first what is in the hand, as quickly as any way', () => {
    let compared = 0;
    for (let seed = 0; seed < 12; seed += 1) {
      const game = openGame(order(seed, { receptacles: 7, objects: 3 }));
      const state = wanderHolding(game, seed);
      const shortest = state === undefined ? Infinity : shortestWay(game, state.changes());
      if (shortest === Infinity) continue;
      compared += 1;
      expect(new Planner(state!).plan()!.deeds.length, `seed ${seed}`).toBe(shortest);
    }
    expect(compared).toBeGreaterThan(3);
  });

  it.each([0, 1, 2, 3, 4, 5])('wins large households from anywhere (kind %i)', (kind) => {
    for (let seed = kind; seed < 24; seed += 6) {
      const game = openGame(order(seed, { receptacles: null, objects: null }));
      expect(taskKindOf(game)).toBe(taskKindNames[kind]);
      const state = wander(game, seed, 40);
      const actions = new Actions(state, { dropIdle: true });
      const { deeds } = new Planner(state).plan()!;
      for (const deed of deeds) actions.apply(actionFor(deed, actions.applicable())!);
      expect(actions.isWon()).toBe(true);
    }
  });

  it('counts milestones: taking, treating and putting down what the task asks for', () => {
    const counts = taskKindNames.map((_, kind) => {
      const state = wander(openGame(order(kind, { receptacles: null, objects: null })), kind, 0);
      return new Planner(state).plan()!.milestones;
    });
    expect(counts).toEqual([2, 2, 3, 3, 3, 4]);
  });

  it('closes everything where the goal asks for it', () => {
    const game = openGame(
      order(3, { receptacles: 8, objects: 4 }),
      '(and $& (forall (?r - receptacle) (not (opened ?r))))',
    );
    const state = wander(game, 1, 0);
    const fridge = state.setting.names.findIndex((name) => name.startsWith('fridge'));
    state.set('opened', [fridge], true);
    const actions = new Actions(state, { dropIdle: true });
    const { deeds } = new Planner(state).plan()!;
    expect(deeds.filter(({ schema }) => schema.name === 'closeobject').length).toBeGreaterThan(0);
    for (const deed of deeds) {
      expect(actions.isWon()).toBe(false);
      actions.apply(actionFor(deed, actions.applicable())!);
    }
    expect(actions.isWon()).toBe(true);
  });
});

describe('a game is refused', () => {
  const household = makeHousehold(order(6, { receptacles: 8, objects: 6 }));
  const texts = householdTexts(household, false);
  const openWith = (change: (problem: string) => string) =>
    checkPlayable(readGame({ ...texts, problem: change(texts.problem) }, 'alfworld'), 'alfworld');
  const goal = (condition: string) => (problem: string) =>
    problem.replace(/\(:goal .*\)\n\)\n/, `(:goal ${condition})\n)\n`);
  const someInSight = /\(inReceptacle (\S+) (\S+)\)/.exec(texts.problem)!;

  it.each<[string, (problem: string) => string, string]>([
    [
      'whose goal holds at the start',
      goal(`(inReceptacle ${someInSight[1]} ${someInSight[2]})`),
      'the game is already won at the start',
    ],
    [
      'whose goal asks for things that are not there',
      goal('(exists (?o - object ?r - receptacle) (and (objectType ?o NoType) (inReceptacle ?o ?r)))'),
      'no thing and receptacle in it are of the kinds',
    ],
    [
      'whose thing is nowhere',
      (problem) => problem.replaceAll(new RegExp(`\\(inReceptacle ${household.wish.thing}_bar\\S+ \\S+\\)`, 'g'), ''),
      'what its goal asks for cannot be brought where it has to be',
    ],
    [
      'whose thing fits nowhere',
      (problem) => problem.replaceAll(new RegExp(`\\(canContain \\S+ ${household.wish.thing}Type\\)`, 'g'), ''),
      'what its goal asks for cannot be brought where it has to be',
    ],
    [
      'with another kind of goal',
      goal('(exists (?o - object) (isSliced ?o))'),
      "not one of ALFWorld's six kinds of tasks",
    ],
    ['that wants something to be false', goal('(not (holdsAny agent1))'), 'already won'],
    ['with an empty problem', () => '', 'pddl_problem: line 1, column 1: there is no PDDL'],
    ['with a broken fact', (problem) => problem.replace('(:init', '(:init\n  (inReceptacle'), 'pddl_problem: line'],
  ])('%s', (_, change, message) => {
    expect(() => openWith(change)).toThrow(message);
  });

  it('whose rules are others', () => {
    const domain = texts.domain.replace(
      '(inReceptacle ?o ?r) (objectAtLocation ?o ?l) (not (holds ?a ?o))',
      '(objectAtLocation ?o ?l) (not (holds ?a ?o))',
    );
    expect(() => checkPlayable(readGame({ ...texts, domain }, 'alfworld'), 'alfworld')).toThrow(
      'the game cannot be won',
    );
    const lid = texts.domain.replace(
      ':effect (and (opened ?r) (checked ?r))',
      ':effect (and (checked ?r) (when (isClean ?r) (opened ?r)))',
    );
    const closed = openGameWith(lid);
    expect(closed).toThrow('the rules of this game are not those of ALFWorld: a plan does not reach the goal');
  });

  /** A household whose target lies in something that is closed. */
  function openGameWith(domain: string) {
    for (let seed = 0; seed < 200; seed += 6) {
      const other = householdTexts(makeHousehold(order(seed, { receptacles: 20, objects: 6 })), false);
      const { deeds } = new Planner(new State(readGame(other, 'alfworld').setting, false)).plan()!;
      if (deeds.some(({ schema }) => schema.name === 'openobject'))
        return () => checkPlayable(readGame({ ...other, domain }, 'alfworld'), 'alfworld');
    }
    throw new Error('no household with a closed receptacle on the way');
  }

  it('without texts for an action, or with a misspelled type', () => {
    const grammar = texts.grammar.replace('action CleanObject', 'action Clean');
    expect(() => checkPlayable(readGame({ ...texts, grammar }, 'alfworld'), 'alfworld')).toThrow(
      'grammar: there is no text for the action cleanobject',
    );
    const misspelled = texts.grammar.replaceAll('r:receptacle', 'r:receptable');
    expect(() => checkPlayable(readGame({ ...texts, grammar: misspelled }, 'alfworld'), 'alfworld')).toThrow(
      /^grammar: the text ".*" has r:receptable, but there is no such type$/,
    );
  });
});

it('a plan is made of commands', () => {
  const session = new Session(openGame(order(2)), 'alfworld');
  session.start();
  const { deeds } = new Planner(session.state).plan()!;
  for (const deed of deeds) {
    const command = session.commandOf(actionFor(deed, session.applicable())!);
    expect(session.admissible()).toContain(command);
    session.act(command);
  }
  expect(session.isWon()).toBe(true);
});
