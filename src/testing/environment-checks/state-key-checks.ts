// Checks that a state key says where an episode is, and not how it came there.
import type { StepResult } from '../../contracts/environment.js';
import type { Random } from '../../contracts/random.js';
import { shorten } from '../shorten.js';
import { onInstance, repeatable, type CheckContext, type EnvironmentCheck } from './check-context.js';
import { chooseAs, playEpisode, type CheckedEpisode, type PlayedTurn } from './play-episode.js';

/** Random walks for each sampled task, and their turns. */
const walkCount = 12;
const walkedTurns = 16;
/** States of a task that are compared, and the random continuations by which they are compared. */
const comparedPairs = 6;
const continuationCount = 4;
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

/** The states of a walk, without the first, which has no facts yet. */
function statesOf(walk: CheckedEpisode): State[] {
  return walk.turns.flatMap(({ keyBefore: key }, turn) => {
    const shown = walk.turns[turn - 1]?.result;
    return key === undefined || shown === undefined ? [] : [{ walk, turn, key, shown }];
  });
}

/** States that look alike and differ in their keys and in the way to them. */
function suspectedPairs(states: readonly State[]): (readonly [State, State])[] {
  const pairs: (readonly [State, State])[] = [];
  for (const [i, second] of states.entries()) {
    const first = states.slice(0, i).find(
      ({ key, turn, shown }) =>
        // The turn is the same, so the limit of turns is as near.
        turn === second.turn &&
        shown.observation === second.shown.observation &&
        key !== second.key &&
        wayOf(shown) !== wayOf(second.shown),
    );
    if (first !== undefined) pairs.push([first, second]);
    if (pairs.length === comparedPairs) break;
  }
  return pairs;
}

/** What the agent and the trainer see of a turn, without what describes the way. */
function seen({ action, result: { observation, reward, terminated, facts } }: PlayedTurn): unknown {
  return [action, observation, reward, terminated, facts.success, facts.invalid];
}

/** What follows a state, by the choices of a player until the end. */
interface Future {
  /** The legal actions, and what is seen of the turns, as text to compare. */
  readonly seen: string;
  /** The key before each turn, and the way so far. */
  readonly keys: readonly (string | undefined)[];
  readonly ways: readonly string[];
}

async function futureOf(
  context: CheckContext,
  { walk, turn: from, shown }: State,
  player: string,
  random: Random,
): Promise<Future> {
  const choose = chooseAs(player, random, walk.task);
  let admissible: readonly string[] | undefined;
  const played = await onInstance(context, (environment) =>
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
  const turns = played.turns.slice(from);
  return {
    seen: JSON.stringify([admissible, turns.map(seen)]),
    keys: turns.map(({ keyBefore }) => keyBefore),
    ways: [shown, ...turns.map(({ result }) => result)].map(wayOf),
  };
}

/**
 * Whether the keys of two states differ because of the way alone: the states go on alike, as far as players show it, and
 * meanwhile their keys become equal exactly when the ways do. If a hidden part of the world differs, the keys follow that
 * part instead. Undefined if the states go on differently, or their ways never become equal.
 */
async function differByWay(context: CheckContext, first: State, second: State): Promise<boolean | undefined> {
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
  if (!followsWay) return false;
  return becomeEqual ? true : undefined;
}

const checks: readonly EnvironmentCheck[] = [
  {
    id: 'state-key-way',
    title: 'the state key does not contain the way to the state',
    severity: 'error',
    likelyCause: 'stateKey() writes the whole state, with the nearest point so far or the milestones',
    why: 'Algorithms such as GiGPO compare turns that start from the same state. They would not find these turns.',
    cure: 'Write only what decides the future into stateKey(), and leave out progress and milestones so far.',
    run: async (context) => {
      const found: string[] = [];
      for (const { task } of context.sample) {
        const states: State[] = [];
        for (let i = 0; i < walkCount; i += 1) {
          const choose = chooseAs('random', context.random.stream('state-key-walk', i), task);
          const walk = await onInstance(context, (environment) =>
            playEpisode(environment, task, context.random, choose, walkedTurns),
          );
          if (walk.turns[0]?.keyBefore === undefined) return [];
          states.push(...statesOf(walk));
        }
        for (const [first, second] of suspectedPairs(states)) {
          const differ = await differByWay(context, first, second);
          // These keys differ by something that nobody saw, so the other pairs may, too.
          if (differ === false) return [];
          if (differ === undefined) continue;
          const keys = `${shorten(first.key)} and ${shorten(second.key)}`;
          found.push(
            `task ${shorten(task)}, turn ${first.turn}: two ways lead to states that look alike and go on alike, but have different keys: ${keys}`,
          );
        }
      }
      // One pair may be chance.
      return found.length > 1 ? found.slice(0, 1) : [];
    },
  },
];

export const stateKeyChecks: readonly EnvironmentCheck[] = checks.map(repeatable);
