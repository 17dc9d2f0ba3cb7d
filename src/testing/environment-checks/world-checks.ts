// Checks that an environment depends only on its task, its random stream and its actions, not on the process or the
// time.
import { clock, globalRandom, globalState } from '../shared-cures.js';
import { callsOfMathRandom, changedGlobals, withOtherClock } from '../disturb-process.js';
import { shorten } from '../shorten.js';
import { reset, step } from './call-environment.js';
import { repeatable, unthrown, type CheckContext, type EnvironmentCheck } from './check-context.js';
import { chooseAgain, differences, episodeBytes, playAgain, playEpisode } from './play-episode.js';
import { askEverything } from './repetition-checks.js';

/** Makes every kind of call to a world and an instance, from opening to closing. */
async function live(context: CheckContext): Promise<void> {
  const world = await context.openUnowned();
  await world.splits.train.random(context.random.stream('life'));
  const [first] = context.sample;
  if (first !== undefined) await world.about?.(first.task);
  const environment = await context.createUnowned(world);
  for (const episode of unthrown(context.randomEpisodes).slice(0, 3)) {
    await playAgain(environment, episode, context.random);
    // Players need not answer after the end of a game, so the episode starts again.
    await reset(environment, episode.task, context.random.stream('environment', episode.task));
    await askEverything(world, environment, context.random.stream('life'));
  }
  await environment.dispose?.();
  await world.close?.();
}

const checks: readonly EnvironmentCheck[] = [
  {
    id: 'tasks-differ',
    title: 'different ids give different tasks',
    severity: 'error',
    likelyCause: '`reset` makes its task from the random stream, or from nothing, instead of the id',
    why: 'A thousand ids would be one task: training overfits it, and evaluation shows nothing.',
    cure: 'Make the task from its id. `random` is for chance within the episode.',
    idle: ({ sample }) => (new Set(sample.map(({ task }) => task)).size < 2 ? 'there is only one task' : undefined),
    run: async (context) => {
      const [episode] = unthrown(context.oracleEpisodes ?? context.randomEpisodes);
      if (episode === undefined) return [];
      // Stream and actions are the same for every task, so only the id can make a difference.
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
        : [`${tasks.length} tasks give the same answers to the same actions: ${tasks.map(shorten).join(', ')}`];
    },
  },
  {
    id: 'global-random',
    title: 'the environment does not call Math.random',
    severity: 'error',
    likelyCause: 'Math.random, or a library that uses it, instead of the stream given to `reset`',
    ...globalRandom,
    run: async (context) => {
      const places = await callsOfMathRandom(() => live(context));
      return places.slice(0, 3).map((place) => `Math.random is called ${place}`);
    },
  },
  {
    id: 'clock',
    title: 'an episode is the same at another date and time',
    severity: 'error',
    likelyCause: 'Date.now, new Date() or performance.now() in observations, in facts, or in a seed',
    ...clock,
    run: (context) =>
      withOtherClock(async () => {
        const environment = await context.create();
        for (const episode of context.randomEpisodes) {
          const again = await playAgain(environment, episode, context.random);
          const found = differences(episode, again, 'forty days later');
          if (found.length > 0) return found;
        }
        return [];
      }),
  },
  {
    id: 'global-state',
    title:
      'the global state of the process does not change: listeners, globals, prototypes, environment variables, current folder',
    severity: 'error',
    likelyCause: 'process.on without off in `dispose` or `close`, an assignment to a global, or process.chdir',
    ...globalState,
    run: async (context) => {
      const changed = await changedGlobals(() => live(context));
      return changed.map((name) => `after a world was closed, ${name} had changed`);
    },
  },
  {
    id: 'hidden-state',
    title: 'observations do not contain the hidden state',
    severity: 'error',
    likelyCause: 'the observation contains the whole state or a debugging line',
    why: 'The agent would read the answer instead of finding it.',
    cure: 'Show only what the rules allow, and put the rest into `facts.details`, which only the log contains.',
    idle: ({ randomEpisodes: [first] }) => (first === undefined ? 'there is no episode' : undefined),
    run: async (context) => {
      const environment = await context.create();
      if (environment.snapshot === undefined) return [];
      for (const { task, turns } of unthrown(context.randomEpisodes)) {
        let seen = (await reset(environment, task, context.random.stream('environment', task))).observation;
        for (const turn of [undefined, ...turns]) {
          if (turn !== undefined) seen = (await step(environment, turn.action)).observation;
          const state = JSON.stringify(await environment.snapshot());
          // A short state may appear by chance.
          if (state.length < 12 || !seen.includes(state)) continue;
          return [`task ${shorten(task)}: the observation ${shorten(seen)} contains the snapshot ${shorten(state)}`];
        }
      }
      return [];
    },
  },
];

/** Only the check `clock` replays episodes. */
export const worldChecks = checks.map((check) => (check.id === 'clock' ? repeatable(check) : check));
