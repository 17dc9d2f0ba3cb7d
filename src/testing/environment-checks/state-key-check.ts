// Checks that a state key says where an episode is: all of it that decides the future, and not how it came there.
//
// The second part cannot be seen in the text of a key. So random walks of one task look for two states that look alike,
// but differ in their keys and in what only describes the way: progress and milestones. Players go on from both. If all
// that is seen stays equal, and the keys become equal exactly when the ways do, the keys contain the way. If a hidden
// part of the world differs, the keys follow that part instead. So the check finds keys with the nearest point so far or
// the milestones; it cannot find what no fact reports.
import type { StepResult } from '../../contracts/environment.js';
import type { Random } from '../../contracts/random.js';
import { firstFound } from '../findings.js';
import { shorten } from '../shorten.js';
import {
  allEpisodes,
  type EnvironmentCheck,
  type EnvironmentContext,
  onInstance,
  repeatable,
} from './environment-context.js';
import { chooseAs, type CheckedEpisode, playEpisode } from './play-episode.js';

/** Random walks of each task, and their turns. */
const [walkCount, walkedTurns] = [12, 16];
/** Pairs of states of a task that are compared, and the random continuations by which they are compared. */
const [comparedPairs, continuationCount] = [6, 4];
/** Long enough that a game with a limit of turns ends. */
const continuedTurns = 40;

/** The state before a turn of a walk. */
interface State {
  readonly walk: CheckedEpisode;
  readonly turn: number;
  readonly key: string;
  /** The result of the turn before. */
  readonly shown: StepResult;
}

/** What only describes the way to a state. */
const wayOf = ({ facts }: StepResult) => JSON.stringify([facts.progress, facts.milestones]);

/** What does not: it follows from the state and the action. */
const outcomeOf = ({ observation, reward, terminated, truncated, facts: { success, invalid } }: StepResult) =>
  JSON.stringify([observation, reward, terminated, truncated, success, invalid]);

/** The states of random walks, without the first of each, which has no facts yet. */
async function walkedStates(context: EnvironmentContext, task: string): Promise<State[]> {
  const states: State[] = [];
  for (let i = 0; i < walkCount; i += 1) {
    const choose = chooseAs('random', context.random.stream('state-key-walk', i), task);
    const walk = await onInstance(context, (environment) =>
      playEpisode(environment, task, context.random, choose, walkedTurns),
    );
    for (const [turn, { keyBefore: key }] of walk.turns.entries()) {
      const shown = walk.turns[turn - 1]?.result;
      if (key !== undefined && shown !== undefined) states.push({ walk, turn, key, shown });
    }
  }
  return states;
}

/** States that look alike, as near to a limit of turns, and differ in their keys and in the way to them. */
function suspectedPairs(states: readonly State[]): (readonly [State, State])[] {
  const pairs = states.flatMap((second, i) => {
    const first = states
      .slice(0, i)
      .find(
        ({ key, turn, shown }) =>
          turn === second.turn &&
          shown.observation === second.shown.observation &&
          key !== second.key &&
          wayOf(shown) !== wayOf(second.shown),
      );
    return first === undefined ? [] : [[first, second] as const];
  });
  return pairs.slice(0, comparedPairs);
}

/** What follows a state by the choices of a player: what is seen, as text, and the key and the way before each turn. */
async function futureOf(
  context: EnvironmentContext,
  { walk, turn: from, shown }: State,
  player: string,
  random: Random,
) {
  const choose = chooseAs(player, random, walk.task);
  let admissible: readonly string[] | undefined;
  const { turns: all } = await onInstance(context, (environment) =>
    playEpisode(
      environment,
      walk.task,
      context.random,
      async (_, turn) => {
        if (turn < from) return walk.turns[turn]?.action;
        if (turn === from) admissible = await environment.admissible?.();
        return choose(environment, turn - from);
      },
      from + continuedTurns,
    ),
  );
  const turns = all.slice(from);
  return {
    seen: JSON.stringify([admissible, turns.map(({ action, result }) => [action, outcomeOf(result)])]),
    keys: turns.map(({ keyBefore }) => keyBefore),
    ways: [shown, ...turns.map(({ result }) => result)].map(wayOf),
  };
}

/**
 * Whether the keys of two states differ because of the way alone. Undefined if the states go on differently, or their
 * ways never become equal.
 */
async function differByWay(context: EnvironmentContext, first: State, second: State): Promise<boolean | undefined> {
  const players = [...(context.world.experts ?? []), ...Array.from({ length: continuationCount }, () => 'random')];
  let becomeEqual = false;
  let followsWay = true;
  for (const [i, player] of players.entries()) {
    const random = context.random.stream('state-key', i);
    const one = await futureOf(context, first, player, random);
    const other = await futureOf(context, second, player, random);
    if (one.seen !== other.seen) return undefined;
    for (const [turn, key] of one.keys.entries()) {
      const isEqual = key === other.keys[turn];
      followsWay &&= isEqual === (one.ways[turn] === other.ways[turn]);
      becomeEqual ||= isEqual;
    }
  }
  return followsWay ? becomeEqual || undefined : false;
}

/** The first pair of states whose keys contain the way, in words; none if there is no second, because one may be chance. */
async function keysWithWay(context: EnvironmentContext): Promise<string | undefined> {
  const found: string[] = [];
  for (const task of context.tasks) {
    for (const [first, second] of suspectedPairs(await walkedStates(context, task))) {
      const differ = await differByWay(context, first, second);
      // These keys differ by something that nobody saw, so the other pairs may, too.
      if (differ === false) return undefined;
      const place = `task ${shorten(task)}, turn ${first.turn}`;
      const keys = `${shorten(first.key)} and ${shorten(second.key)}`;
      if (differ === true)
        found.push(
          `${place}: two ways lead to states that look alike and go on alike, but have different keys: ${keys}`,
        );
    }
  }
  return found.length > 1 ? found[0] : undefined;
}

export const stateKeyCheck: EnvironmentCheck = repeatable({
  id: 'state-key',
  title: 'states have the same key exactly if they answer every action in the same way',
  cure: 'Put everything into the key that decides a future answer, and leave out what only describes the way: progress, milestones and the nearest point so far.',
  idle: ({ randomEpisodes }) =>
    randomEpisodes.every(({ turns: [first] }) => first?.keyBefore === undefined) ? 'it has no stateKey()' : undefined,
  run: async (context) => {
    const answers = new Map<string, string>();
    const turns = allEpisodes(context).flatMap(({ task, turns: played }) => played.map((turn) => ({ task, ...turn })));
    const found = await firstFound(turns, ({ task, keyBefore = '', action, result }) => {
      const state = JSON.stringify([task, keyBefore, action]);
      const outcome = outcomeOf(result);
      const known = answers.get(state) ?? outcome;
      answers.set(state, outcome);
      const place = `task ${shorten(task)}, state ${shorten(keyBefore)}`;
      return known === outcome ? undefined : `${place}: ${shorten(action)} gets two different answers`;
    });
    return found ?? keysWithWay(context);
  },
});
