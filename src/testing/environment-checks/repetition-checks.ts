// Checks that the same task, random numbers and actions give the same bytes: on a new instance, on a used one, after
// restore, in another process and in another thread.
import type { Environment, World } from '../../contracts/environment.js';
import type { Json } from '../../contracts/json.js';
import type { Random } from '../../contracts/random.js';
import { messageOf } from '../../errors/message-of.js';
import { copyJson } from '../../rollout/copy-json.js';
import { isUnavailable } from '../../errors/is-unavailable.js';
import { shorten } from '../shorten.js';
import { act, step } from './call-environment.js';
import { allEpisodes, onInstance, repeatable, type CheckContext, type EnvironmentCheck } from './check-context.js';
import { compareProcesses, compareThreads } from './compare-processes.js';
import { differences, playAgain, playEpisode, type ChooseAction, type CheckedEpisode } from './play-episode.js';

/**
 * Makes every call that is allowed between two steps. None of them may change the state. Another check reports players
 * that throw.
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

/** The results of these actions from the current state, as text to compare. */
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
    return played.snapshot === played.restore ? [] : ['snapshot or restore is missing'];
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
  if (JSON.stringify(state) !== text) return [`${place}: the snapshot changes when the game continues`];
  for (const [environment, which] of [
    [played, 'the same instance'],
    [fresh, 'a new instance'],
  ] as const) {
    await environment.restore?.(JSON.parse(text) as Json);
    if ((await environment.stateKey?.()) !== key) return [`${place}: restored in ${which}, the state key differs`];
    if ((await stepThrough(environment, rest)) !== expected)
      return [`${place}: restored in ${which}, the game continues differently`];
  }
  return [];
}

const checks: readonly EnvironmentCheck[] = [
  {
    id: 'deterministic',
    title: 'the same task, random numbers and actions give the same bytes',
    severity: 'error',
    likelyCause: 'Math.random, the clock, or another random stream than the one given to `reset`',
    why: 'Otherwise runs cannot be repeated, resumed or debugged.',
    cure: 'Draw every random number from the stream given to reset().',
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
    title: 'an episode does not depend on earlier episodes of the instance',
    severity: 'error',
    likelyCause: '`reset` does not clear everything, or an episode changes tables',
    why: 'Episodes share instances in any order. Results would depend on the order.',
    cure: 'Set everything up again in reset(), and copy tables before an episode changes them.',
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
    title: 'act(), admissible(), stateKey() and snapshot() do not change the state',
    severity: 'error',
    likelyCause: 'an expert advances its plan in every call, or draws from the stream of `reset`',
    why: 'The host calls players and state keys at any time. The episode would depend on these calls.',
    cure: 'Let act(), admissible(), stateKey() and snapshot() only read. act() draws only from its own stream.',
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
    title: 'a restored snapshot continues the game in the same way, in any instance',
    severity: 'error',
    likelyCause: 'the snapshot lacks part of the state, or shares objects with the live state',
    why: 'Search and forked groups would continue from a state that never existed.',
    cure: 'Copy the whole state into the snapshot, and restore all of it in restore(); or provide neither function.',
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
    title: 'states with the same key answer every action in the same way',
    severity: 'error',
    likelyCause: 'part of the state is missing in the key',
    why: 'States are counted and matched by their key. Different states would count as one.',
    cure: 'Put everything into the key that affects a future answer.',
    run: (context) => {
      // Progress and milestones may depend on the way to a state. The other parts of the answer may not.
      const answers = new Map<string, string>();
      for (const { task, turns } of allEpisodes(context)) {
        for (const { action, result, keyBefore } of turns) {
          if (keyBefore === undefined) continue;
          const { observation, reward, terminated, truncated, facts } = result;
          const answer = JSON.stringify([observation, reward, terminated, truncated, facts.success, facts.invalid]);
          const place = JSON.stringify([task, keyBefore, action]);
          if ((answers.get(place) ?? answer) !== answer) {
            return [
              `task ${shorten(task)}: in the state ${shorten(keyBefore)}, ${shorten(action)} gets two different answers`,
            ];
          }
          answers.set(place, answer);
        }
      }
      return [];
    },
  },
  {
    id: 'fresh-process',
    title: 'two fresh processes with different locales, time zones and hash seeds produce the same bytes',
    severity: 'error',
    idle: ({ settings }) => (settings.freshProcess === undefined ? 'no built module is given' : undefined),
    likelyCause: 'localeCompare, Intl or toLocale..., the time zone, or the order of the tasks',
    why: 'Runs are resumed in other processes and repeated on other machines.',
    cure: 'Compare strings by code units, format numbers and dates without locale, and keep no state between tasks.',
    run: (context) => compareProcesses(context),
  },
  {
    id: 'worker-thread',
    title: 'a worker thread produces the same bytes',
    severity: 'error',
    idle: ({ settings }) => (settings.freshProcess === undefined ? 'no built module is given' : undefined),
    likelyCause: 'process.chdir, isMainThread or threadId, or an addon that only one thread can load',
    why: 'With `thread: worker` the environment runs in threads. The same recipe would give other results there.',
    cure: 'Do not use main-thread functions such as process.chdir, and do not ask which thread it is.',
    run: (context) => compareThreads(context),
  },
];

export const repetitionChecks = checks.map(repeatable);
