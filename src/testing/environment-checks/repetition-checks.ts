// The same task, random numbers and actions give the same bytes: on a new instance, on a used one, after restore, in another process.
import { isDeepStrictEqual } from 'node:util';

import type { Environment } from '../../contracts/environment.js';
import type { Json } from '../../contracts/json.js';
import { shorten } from '../shorten.js';
import type { CheckContext, EnvironmentCheck } from './check-context.js';
import { compareProcesses } from './compare-processes.js';
import { chooseAgain, episodeBytes, firstDifference, playEpisode, type PlayedEpisode } from './play-episode.js';

function repeat(context: CheckContext, environment: Environment, episode: PlayedEpisode): Promise<PlayedEpisode> {
  return playEpisode(environment, episode.task, context.random, chooseAgain(episode), episode.turns.length);
}

function differences(episode: PlayedEpisode, again: PlayedEpisode): string[] {
  if (episodeBytes(again) === episodeBytes(episode)) return [];
  return [`task ${shorten(episode.task)}: ${firstDifference(episode, again)}`];
}

/** Asks everything that may be asked between two steps; none of it may change the state. */
async function askEverything(environment: Environment, context: CheckContext, turn: number): Promise<void> {
  const stream = context.random.stream('questions', turn);
  for (const [name, expert] of Object.entries(environment.experts ?? {})) await expert(stream.stream(name));
  environment.admissible?.();
  environment.stateKey?.();
  environment.snapshot?.();
  environment.sampleAction(stream.stream('sample'));
}

/** Steps through actions from the present state, as bytes. */
async function stepThrough(environment: Environment, actions: readonly string[]): Promise<string> {
  const results: string[] = [];
  for (const action of actions) results.push(JSON.stringify(await environment.step(action)));
  return results.join('\n');
}

async function snapshotFindings(context: CheckContext, episode: PlayedEpisode): Promise<string[]> {
  const half = episode.turns.length >> 1;
  const rest = episode.turns.slice(half).map(({ action }) => action);
  const place = `task ${shorten(episode.task)}, turn ${half}`;
  const [played, fresh] = [await context.create(), await context.create()];
  if (played.snapshot === undefined || played.restore === undefined) {
    return played.snapshot === played.restore ? [] : ['one of snapshot and restore is missing'];
  }
  await playEpisode(played, episode.task, context.random, chooseAgain(episode), half);
  const [state, key] = [played.snapshot(), played.stateKey?.()];
  const text = JSON.stringify(state);
  if (!isDeepStrictEqual(JSON.parse(text), state)) return [`${place}: the snapshot is not JSON`];
  const expected = await stepThrough(played, rest);
  if (JSON.stringify(state) !== text) return [`${place}: the snapshot changes as the game goes on`];
  for (const [environment, which] of [
    [played, 'the same instance'],
    [fresh, 'a new instance'],
  ] as const) {
    environment.restore?.(JSON.parse(text) as Json);
    if (environment.stateKey?.() !== key) return [`${place}: restored in ${which}, the state key differs`];
    if ((await stepThrough(environment, rest)) !== expected)
      return [`${place}: restored in ${which}, the game goes on differently`];
  }
  return [];
}

export const repetitionChecks: readonly EnvironmentCheck[] = [
  {
    id: 'deterministic',
    title: 'the same task, random numbers and actions give the same bytes',
    severity: 'error',
    likelyCause: 'Math.random, the clock, or a random stream of the host instead of the one that `reset` is given',
    run: async (context) => {
      const found: string[] = [];
      for (const episode of [...context.randomEpisodes, ...(context.oracleEpisodes ?? [])]) {
        const again = await repeat(context, await context.create(), episode);
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
    run: async (context) => {
      const environment = await context.create();
      const found: string[] = [];
      for (const episode of context.randomEpisodes.toReversed()) {
        const again = await repeat(context, environment, episode);
        found.push(...differences(episode, again));
      }
      return found;
    },
  },
  {
    id: 'questions-change-nothing',
    title: 'experts, admissible actions, state key, snapshot and sampled actions leave the state alone',
    severity: 'error',
    likelyCause: 'an expert that advances a plan when it is asked, instead of reading the state',
    run: async (context) => {
      const environment = await context.create();
      const found: string[] = [];
      for (const episode of context.randomEpisodes) {
        const again = await playEpisode(
          environment,
          episode.task,
          context.random,
          async (_, turn) => {
            if (turn < episode.turns.length) await askEverything(environment, context, turn);
            return episode.turns[turn]?.action;
          },
          episode.turns.length,
        );
        found.push(...differences(episode, again));
      }
      return found;
    },
  },
  {
    id: 'snapshot',
    title: 'a restored snapshot goes on as the game did, in any instance',
    severity: 'error',
    likelyCause: 'state that is left out of the snapshot, or a snapshot that shares objects with the live state',
    run: async (context) => {
      const found: string[] = [];
      for (const episode of context.randomEpisodes) found.push(...(await snapshotFindings(context, episode)));
      return found;
    },
  },
  {
    id: 'state-key',
    title: 'two states with one key answer an action alike',
    severity: 'error',
    likelyCause: 'part of the state is missing from the key',
    run: (context) => {
      // What an episode has on record (progress, milestones) may differ by the way that led here; what the world answers may not.
      const answers = new Map<string, string>();
      for (const { task, turns } of [...context.randomEpisodes, ...(context.oracleEpisodes ?? [])]) {
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
    run: (context) => compareProcesses(context),
  },
];
