// An environment is its task, its random stream and its actions, and nothing else: not its neighbours, not the process, not the time of day.
import { callsOfMathRandom, changedGlobals, withOtherClock } from '../disturb-process.js';
import { shorten } from '../shorten.js';
import type { CheckContext, EnvironmentCheck } from './check-context.js';
import { chooseAgain, episodeBytes, firstDifference, playEpisode, type PlayedEpisode } from './play-episode.js';

const unthrown = (episodes: readonly PlayedEpisode[]): readonly PlayedEpisode[] =>
  episodes.filter(({ thrown }) => thrown === undefined);

/** Plays the episodes again, two at a time, step by step on an instance each. */
async function interleave(
  context: CheckContext,
  one: PlayedEpisode,
  other: PlayedEpisode,
): Promise<readonly [PlayedEpisode, PlayedEpisode]> {
  const pairs = [];
  for (const episode of [one, other]) pairs.push({ episode, environment: await context.create() });
  const played = [];
  for (const { episode, environment } of pairs) {
    const random = context.random.stream('environment', episode.task);
    played.push({ episode, environment, observation: await environment.reset(episode.task, { random }) });
  }
  const turns = played.map((): PlayedEpisode['turns'][number][] => []);
  for (let turn = 0; turn < Math.max(one.turns.length, other.turns.length); turn += 1) {
    for (const [index, { episode, environment }] of played.entries()) {
      const action = episode.turns[turn]?.action;
      if (action !== undefined) turns[index]?.push({ action, result: await environment.step(action) });
    }
  }
  const [first, second] = played.map(({ episode: { task }, observation }, index) => ({
    task,
    observation,
    turns: turns[index] ?? [],
  }));
  return [first as PlayedEpisode, second as PlayedEpisode];
}

/** Everything an instance does in its life. */
async function live(context: CheckContext): Promise<void> {
  context.tasks().train.random(context.random.stream('life'));
  const environment = await context.createUnowned();
  for (const episode of unthrown(context.randomEpisodes).slice(0, 3)) {
    await playEpisode(environment, episode.task, context.random, chooseAgain(episode), episode.turns.length);
    // Nobody asks for an action where a game has ended.
    await environment.reset(episode.task, { random: context.random.stream('environment', episode.task) });
    environment.sampleAction(context.random.stream('life'));
    for (const expert of Object.values(environment.experts ?? {})) await expert(context.random.stream('life'));
    environment.admissible?.();
  }
  await environment.dispose?.();
}

export const worldChecks: readonly EnvironmentCheck[] = [
  {
    id: 'tasks-differ',
    title: 'another id is another task',
    severity: 'error',
    likelyCause: '`reset` makes its task of the random stream, or of nothing, instead of the id',
    idle: ({ sample }) => (new Set(sample.map(({ task }) => task)).size < 2 ? 'there is a single task' : undefined),
    run: async (context) => {
      const [episode] = unthrown(context.oracleEpisodes ?? context.randomEpisodes);
      if (episode === undefined) return [];
      // The same stream and actions for every task: only the id is left to make a difference.
      const environment = await context.create();
      const seen = new Set<string>();
      const tasks = [...new Set(context.sample.map(({ task }) => task))];
      for (const task of tasks) {
        const stream = context.random.stream('one for all');
        const limit = episode.turns.length;
        const again = await playEpisode(environment, task, context.random, chooseAgain(episode), limit, stream);
        seen.add(episodeBytes({ ...again, task: '' }));
      }
      return seen.size > 1
        ? []
        : [`${tasks.length} tasks answer the same actions alike: ${tasks.map(shorten).join(', ')}`];
    },
  },
  {
    id: 'instances-apart',
    title: 'two instances that play at the same time do not know of each other',
    severity: 'error',
    likelyCause: 'the state of an episode lies in a variable of the module, or in a table that instances share',
    idle: ({ randomEpisodes }) => (unthrown(randomEpisodes).length < 2 ? 'there is a single episode' : undefined),
    run: async (context) => {
      const episodes = unthrown(context.randomEpisodes);
      const found: string[] = [];
      for (const [index, one] of episodes.entries()) {
        const other = episodes[(index + 1) % episodes.length] as PlayedEpisode;
        const again = await interleave(context, one, other);
        for (const [which, episode] of [one, other].entries()) {
          const played = again[which] as PlayedEpisode;
          if (episodeBytes(played) === episodeBytes(episode)) continue;
          return [
            `task ${shorten(episode.task)}, beside ${shorten((which === 0 ? other : one).task)}: ${firstDifference(episode, played)}`,
          ];
        }
      }
      return found;
    },
  },
  {
    id: 'global-random',
    title: 'Math.random is not called',
    severity: 'error',
    likelyCause: 'Math.random, or a library that uses it, instead of the stream that `reset` is given',
    run: async (context) => {
      const places = await callsOfMathRandom(() => live(context));
      return places.slice(0, 3).map((place) => `Math.random is called ${place}`);
    },
  },
  {
    id: 'clock',
    title: 'at another time of another day the same bytes',
    severity: 'error',
    likelyCause: 'Date.now, new Date() or performance.now() in what the agent sees, in facts, or in a seed',
    run: (context) =>
      withOtherClock(async () => {
        const environment = await context.create();
        for (const episode of context.randomEpisodes) {
          const limit = episode.turns.length;
          const again = await playEpisode(environment, episode.task, context.random, chooseAgain(episode), limit);
          if (episodeBytes(again) !== episodeBytes(episode))
            return [`forty days later, task ${shorten(episode.task)}: ${firstDifference(episode, again)}`];
        }
        return [];
      }),
  },
  {
    id: 'global-state',
    title: 'nothing of the process is changed: listeners, globals, prototypes, environment variables, current folder',
    severity: 'error',
    likelyCause: 'process.on without its off in dispose, an assignment to a global, or process.chdir',
    run: async (context) => {
      const changed = await changedGlobals(() => live(context));
      return changed.map((name) => `after an instance was disposed of, ${name} had changed`);
    },
  },
  {
    id: 'hidden-state',
    title: 'what the agent sees does not hold the state that is hidden from it',
    severity: 'error',
    likelyCause: 'the whole state, or a debugging line, is written into the observation',
    idle: ({ randomEpisodes: [first] }) => (first === undefined ? 'there is no episode' : undefined),
    run: async (context) => {
      const environment = await context.create();
      if (environment.snapshot === undefined) return [];
      for (const { task, turns } of unthrown(context.randomEpisodes)) {
        const random = context.random.stream('environment', task);
        let seen = await environment.reset(task, { random });
        for (const turn of [undefined, ...turns]) {
          if (turn !== undefined) seen = (await environment.step(turn.action)).observation;
          const state = JSON.stringify(environment.snapshot());
          // A short one may stand there by chance.
          if (state.length < 12 || !seen.includes(state)) continue;
          return [`task ${shorten(task)}: the observation ${shorten(seen)} holds the snapshot ${shorten(state)}`];
        }
      }
      return [];
    },
  },
  {
    id: 'experts',
    title: 'every named expert plays legal actions to the end',
    severity: 'error',
    likelyCause: 'an expert that writes another grammar than `step` reads, or that has no answer in some states',
    run: async (context) => {
      const environment = await context.create();
      const found: string[] = [];
      for (const name of Object.keys(environment.experts ?? {}).filter((expert) => expert !== 'oracle')) {
        for (const { task } of context.sample) {
          const stream = context.random.stream('expert', name, task);
          const choose = (): unknown => environment.experts?.[name]?.(stream);
          const { turns, thrown } = await playEpisode(
            environment,
            task,
            context.random,
            async () => {
              const action = await choose();
              if (typeof action !== 'string') throw new Error(`it gave ${String(action)} instead of an action`);
              return action;
            },
            context.settings.turns,
          );
          const invalid = turns.findIndex(({ result }) => result.facts.invalid);
          const place = `${name}, task ${shorten(task)}`;
          if (thrown !== undefined) found.push(`${place}: ${thrown.phase} ${turns.length} threw: ${thrown.message}`);
          if (invalid >= 0)
            found.push(`${place}: turn ${invalid}, ${shorten(turns[invalid]?.action ?? '')}, is invalid`);
          if (found.length > 0) return found;
        }
      }
      return found;
    },
  },
];
