// Checks that the same task, random numbers and actions give the same bytes, whatever else happens.
import type { Environment, World } from '../../contracts/environment.js';
import type { Json } from '../../contracts/json.js';
import type { Random } from '../../contracts/random.js';
import { isUnavailable } from '../../errors/is-unavailable.js';
import { copyJson } from '../../rollout/copy-json.js';
import { sourceOf } from '../../rollout/source-of.js';
import { splitNames } from '../../rollout/split-names.js';
import { firstFound } from '../findings.js';
import { jsonDifference } from '../json-difference.js';
import { purityChecks } from '../purity-checks.js';
import { shorten } from '../shorten.js';
import { act, reset, step } from './call-environment.js';
import { compareProcesses } from './compare-processes.js';
import {
  allEpisodes,
  type EnvironmentCheck,
  type EnvironmentContext,
  onInstance,
  onOneInstance,
  repeatable,
  unthrown,
} from './environment-context.js';
import { type CheckedEpisode, episodeDifference, playAgain, playEpisode, seenOf } from './play-episode.js';

/**
 * Makes every call that is allowed between two steps. None of them may change the state. Another check reports players
 * that throw.
 */
async function askEverything(world: World, environment: Environment, random: Random): Promise<void> {
  for (const player of ['random', ...(world.experts ?? [])]) {
    await act(environment, player, random.stream(player)).catch((error: unknown) => {
      if (isUnavailable(error)) throw error;
    });
  }
  await environment.admissible?.();
  await environment.stateKey?.();
  await environment.snapshot?.();
}

/** Makes every kind of call to a world and an instance, from opening to closing. */
async function live(context: EnvironmentContext): Promise<void> {
  const random = context.random.stream('life');
  const world = await context.open();
  const split = splitNames.find((name) => sourceOf(world, name).count !== 0) ?? 'train';
  await sourceOf(world, split).random(random);
  await world.about?.(context.tasks[0] ?? '');
  const play = async (environment: Environment): Promise<void> => {
    for (const episode of unthrown(context).slice(0, 3)) {
      await playAgain(environment, episode, context.random);
      // Players need not answer after the end of a game, so the episode starts again.
      await reset(environment, episode.task, random);
      await askEverything(world, environment, random);
    }
  };
  await onInstance(context, play, world);
  await world.close?.();
}

/** What is seen of the random episodes, by task; if they are played again, on one instance. */
async function answersOf(context: EnvironmentContext, isFirst: boolean): Promise<unknown> {
  if (context.world.external === true) return undefined;
  return onInstance(context, async (environment) => {
    const seen: Record<string, object> = {};
    for (const episode of context.randomEpisodes)
      seen[`task ${episode.task}`] = seenOf(isFirst ? episode : await playAgain(environment, episode, context.random));
    return seen;
  });
}

/** The results of the rest of an episode from the current state. */
async function goOn(environment: Environment, { turns }: CheckedEpisode, from: number): Promise<object[]> {
  const results: object[] = [];
  for (const { action } of turns.slice(from)) results.push(await step(environment, action));
  return results;
}

/** Takes a snapshot half-way, goes on, and restores it in the same instance and in another. */
async function restoredDifference(
  { random }: EnvironmentContext,
  episode: CheckedEpisode,
  played: Environment,
  fresh: Environment,
): Promise<string | undefined> {
  if (played.snapshot === undefined || played.restore === undefined)
    return played.snapshot === played.restore ? undefined : 'snapshot or restore is missing';
  const half = episode.turns.length >> 1;
  const place = `task ${shorten(episode.task)}, turn ${half}`;
  await playAgain(played, { ...episode, turns: episode.turns.slice(0, half) }, random);
  const state = await played.snapshot();
  const text = JSON.stringify(copyJson(state, `${place}: the snapshot`));
  const key = await played.stateKey?.();
  const expected = await goOn(played, episode, half);
  if (JSON.stringify(state) !== text) return `${place}: the snapshot changes when the game continues`;
  return firstFound(Object.entries({ 'the same': played, 'a new': fresh }), async ([which, environment]) => {
    await environment.restore?.(JSON.parse(text) as Json);
    const where = `${place}: restored in ${which} instance`;
    if ((await environment.stateKey?.()) !== key) return `${where} the state key differs`;
    const difference = jsonDifference(expected, await goOn(environment, episode, half));
    return difference && `${where} the game goes on differently: ${difference}`;
  });
}

const checks: readonly EnvironmentCheck[] = [
  {
    id: 'deterministic',
    title: 'the same task, random numbers and actions give the same bytes, on a new instance and on a used one',
    cure: 'Draw every random number from the stream given to reset(). Set everything up again there, and copy tables before an episode changes them.',
    run: (context) =>
      firstFound(allEpisodes(context), async (episode) =>
        episodeDifference(
          episode,
          await onInstance(context, (environment) => playAgain(environment, episode, context.random)),
        ),
      ),
  },
  {
    id: 'questions-change-nothing',
    title: 'act(), admissible(), stateKey() and snapshot() do not change the state',
    cure: 'Let them only read. act() draws only from the stream of its call, and does not advance a plan.',
    run: onOneInstance((environment, context) =>
      firstFound(context.randomEpisodes, async (episode) => {
        const { task, turns } = episode;
        const choose = async (_: Environment, turn: number): Promise<string | undefined> => {
          await askEverything(context.world, environment, context.random.stream('questions', turn));
          return turns[turn]?.action;
        };
        const again = await playEpisode(environment, task, context.random, choose, turns.length);
        return episodeDifference(episode, again, 'with questions between the steps');
      }),
    ),
  },
  {
    id: 'snapshot',
    title: 'a snapshot is JSON, and restored it continues the game in the same way, in any instance',
    cure: 'Copy the whole state into the snapshot, and restore all of it in restore(); or provide neither function.',
    run: onOneInstance((played, context) =>
      firstFound(context.randomEpisodes, (episode) =>
        onInstance(context, (fresh) => restoredDifference(context, episode, played, fresh)),
      ),
    ),
  },
  {
    id: 'fresh-process',
    title:
      'fresh processes with different locales, time zones and hash seeds, and a worker thread, produce the same bytes',
    cure: 'Compare strings by code units, format without locale, keep no state between tasks, and do not ask for the thread.',
    idle: ({ settings }) => (settings.freshProcess === undefined ? 'no built module is given' : undefined),
    run: compareProcesses,
  },
];

export const repetitionChecks: readonly EnvironmentCheck[] = [
  ...checks.map(repeatable),
  {
    id: 'tasks-differ',
    title: 'different ids give different tasks',
    cure: 'Make the task from its id. `random` is for chance within the episode.',
    idle: ({ tasks }) => (new Set(tasks).size < 2 ? 'there is only one task' : undefined),
    run: onOneInstance(async (environment, context) => {
      const [{ turns } = { turns: [] }] = [...context.oracleEpisodes, ...unthrown(context)];
      const seen = new Set<string>();
      for (const task of context.tasks) {
        // Stream and actions are the same for every task, so only the id can make a difference.
        const stream = context.random.stream('one for all');
        const choose = (_: Environment, turn: number) => turns[turn]?.action;
        const again = await playEpisode(environment, task, context.random, choose, turns.length, stream);
        seen.add(JSON.stringify(seenOf(again)));
      }
      const tasks = [...new Set(context.tasks)].map(shorten).join(', ');
      return seen.size > 1 ? undefined : `these tasks give the same answers to the same actions: ${tasks}`;
    }),
  },
  {
    id: 'hidden-state',
    title: 'observations do not contain the hidden state',
    cure: 'Show only what the rules allow, and put the rest into `facts.details`, which only the log contains.',
    run: onOneInstance((environment, context) =>
      firstFound(environment.snapshot === undefined ? [] : unthrown(context), async ({ task, turns }) => {
        let seen = (await reset(environment, task, context.random.stream('environment', task))).observation;
        return firstFound([undefined, ...turns], async (turn) => {
          if (turn !== undefined) seen = (await step(environment, turn.action)).observation;
          const state = JSON.stringify(await environment.snapshot?.());
          // A short state may appear by chance.
          if (state.length < 12 || !seen.includes(state)) return undefined;
          return `task ${shorten(task)}: the observation ${shorten(seen)} contains the snapshot ${shorten(state)}`;
        });
      }),
    ),
  },
  ...purityChecks<EnvironmentContext>(answersOf, live),
];
