// The same task, random numbers and actions give the same bytes: on a new instance, on a used one, after restore, in
// another process, in another thread.
import type { Environment, World } from '../../contracts/environment.js';
import type { Json } from '../../contracts/json.js';
import type { Random } from '../../contracts/random.js';
import { messageOf } from '../../errors/message-of.js';
import { copyJson } from '../../rollout/copy-json.js';
import { isUnavailable } from '../is-unavailable.js';
import { shorten } from '../shorten.js';
import { act, step } from './call-environment.js';
import { allEpisodes, onInstance, repeatable, type CheckContext, type EnvironmentCheck } from './check-context.js';
import { compareProcesses, compareThreads } from './compare-processes.js';
import { differences, playAgain, playEpisode, type ChooseAction, type CheckedEpisode } from './play-episode.js';

/**
 * Asks everything that may be asked between two steps; none of it may change the state. A player that throws is told of
 * elsewhere.
 */
export async function askEverything(world: World, environment: Environment, random: Random): Promise<void> {
  for (const player of ['random', ...(world.experts ?? [])]) {
    await act(environment, player, random.stream(player)).catch((error: unknown) => {
      if (isUnavailable(error)) throw error;
    });
  }
  await environment.admissible?.();
  await environment.stateKey?.();
  await environment.snapshot?.();
}

/** Steps through actions from the present state, as bytes. */
async function stepThrough(environment: Environment, actions: readonly string[]): Promise<string> {
  const results: string[] = [];
  for (const action of actions) results.push(JSON.stringify(await step(environment, action)));
  return results.join('\n');
}

async function snapshotFindings(
  context: CheckContext,
  episode: CheckedEpisode,
  played: Environment,
  fresh: Environment,
): Promise<string[]> {
  const half = episode.turns.length >> 1;
  const rest = episode.turns.slice(half).map(({ action }) => action);
  const place = `task ${shorten(episode.task)}, turn ${half}`;
  if (played.snapshot === undefined || played.restore === undefined) {
    return played.snapshot === played.restore ? [] : ['one of snapshot and restore is missing'];
  }
  await playAgain(played, { ...episode, turns: episode.turns.slice(0, half) }, context.random);
  const [state, key] = [await played.snapshot(), await played.stateKey?.()];
  try {
    copyJson(state, 'the snapshot');
  } catch (error) {
    return [`${place}: ${messageOf(error)}`];
  }
  const text = JSON.stringify(state);
  const expected = await stepThrough(played, rest);
  if (JSON.stringify(state) !== text) return [`${place}: the snapshot changes as the game goes on`];
  for (const [environment, which] of [
    [played, 'the same instance'],
    [fresh, 'a new instance'],
  ] as const) {
    await environment.restore?.(JSON.parse(text) as Json);
    if ((await environment.stateKey?.()) !== key) return [`${place}: restored in ${which}, the state key differs`];
    if ((await stepThrough(environment, rest)) !== expected)
      return [`${place}: restored in ${which}, the game goes on differently`];
  }
  return [];
}

const checks: readonly EnvironmentCheck[] = [
  {
    id: 'deterministic',
    title: 'the same task, random numbers and actions give the same bytes',
    severity: 'error',
    likelyCause: 'Math.random, the clock, or a stream of random numbers other than the one that `reset` is given',
    why: 'Nothing can be repeated, resumed or debugged where the same task and actions give other answers.',
    cure: 'Draw every random number from the stream that reset() is given.',
    run: async (context) => {
      const found: string[] = [];
      for (const episode of allEpisodes(context)) {
        const again = await onInstance(context, (environment) => playAgain(environment, episode, context.random));
        found.push(...differences(episode, again));
      }
      return found;
    },
  },
  {
    id: 'independent-episodes',
    title: 'an episode does not depend on what the instance played before',
    severity: 'error',
    likelyCause: 'something that `reset` forgets to clear, or tables that an episode changes',
    why: 'Episodes share instances in an order that nobody promises: results would depend on it.',
    cure: 'Set up everything anew in reset(), and copy tables before an episode changes them.',
    run: async (context) => {
      const environment = await context.create();
      const found: string[] = [];
      for (const episode of context.randomEpisodes.toReversed()) {
        found.push(...differences(episode, await playAgain(environment, episode, context.random)));
      }
      return found;
    },
  },
  {
    id: 'questions-change-nothing',
    title: 'players that are asked, admissible actions, state key and snapshot leave the state alone',
    severity: 'error',
    likelyCause: 'an expert that advances a plan when it is asked, or that draws from the stream of `reset`',
    why: 'Players and state keys are asked at will; the episode would depend on who looked.',
    cure: 'Let act(), admissible(), stateKey() and snapshot() read and never write; act() draws from its own stream alone.',
    run: async (context) => {
      const environment = await context.create();
      const found: string[] = [];
      for (const episode of context.randomEpisodes) {
        const { task, turns } = episode;
        const choose: ChooseAction = async (_, turn) => {
          if (turn < turns.length)
            await askEverything(context.world, environment, context.random.stream('questions', turn));
          return turns[turn]?.action;
        };
        found.push(...differences(episode, await playEpisode(environment, task, context.random, choose, turns.length)));
      }
      return found;
    },
  },
  {
    id: 'snapshot',
    title: 'a restored snapshot goes on as the game did, in any instance',
    severity: 'error',
    likelyCause: 'state that is left out of the snapshot, or a snapshot that shares objects with the live state',
    why: 'Search and forked groups would go on from a state that never was.',
    cure: 'Put the whole state into the snapshot, copied, and take all of it back in restore(); or offer neither.',
    run: async (context) => {
      const found: string[] = [];
      const played = await context.create();
      for (const episode of context.randomEpisodes) {
        found.push(...(await onInstance(context, (fresh) => snapshotFindings(context, episode, played, fresh))));
      }
      return found;
    },
  },
  {
    id: 'state-key',
    title: 'two states with one key answer an action alike',
    severity: 'error',
    likelyCause: 'part of the state is missing from the key',
    why: 'States are counted and matched by their key: two that differ would be taken for one.',
    cure: 'Put everything into the key that a future action could tell apart.',
    run: (context) => {
      // What an episode has on record (progress, milestones) may differ by the way that led here; what the world
      // answers may not.
      const answers = new Map<string, string>();
      for (const { task, turns } of allEpisodes(context)) {
        for (const { action, result, keyBefore } of turns) {
          if (keyBefore === undefined) continue;
          const { observation, reward, terminated, truncated, facts } = result;
          const answer = JSON.stringify([observation, reward, terminated, truncated, facts.success, facts.invalid]);
          const place = JSON.stringify([task, keyBefore, action]);
          if ((answers.get(place) ?? answer) !== answer) {
            return [`task ${shorten(task)}: in the state ${shorten(keyBefore)}, ${shorten(action)} has two answers`];
          }
          answers.set(place, answer);
        }
      }
      return [];
    },
  },
  {
    id: 'fresh-process',
    title: 'two fresh processes with other locales, time zones and hash seeds print the same bytes',
    severity: 'error',
    idle: ({ settings }) => (settings.freshProcess === undefined ? 'no built module is given' : undefined),
    likelyCause: 'localeCompare, Intl or toLocale..., the time zone, or the order in which tasks were played',
    why: 'Runs are resumed in other processes and repeated on other machines.',
    cure: 'Compare strings by code units, format numbers and dates without locale, and keep nothing between tasks.',
    run: (context) => compareProcesses(context),
  },
  {
    id: 'worker-thread',
    title: 'in a worker thread it plays the same bytes',
    severity: 'error',
    idle: ({ settings }) => (settings.freshProcess === undefined ? 'no built module is given' : undefined),
    likelyCause: 'process.chdir, isMainThread or threadId, or an addon that one thread alone can load',
    why: 'With `thread: worker` it is played in threads, with the same recipe: results would depend on where.',
    cure: 'Leave alone what only the main thread has, such as process.chdir, and do not ask which thread it is.',
    run: (context) => compareThreads(context),
  },
];

export const repetitionChecks = checks.map(repeatable);
