// An environment is its task, its random stream and its actions, and nothing else: not the process, not the time of
// day.
import { clock, globalRandom, globalState } from '../shared-cures.js';
import { callsOfMathRandom, changedGlobals, withOtherClock } from '../disturb-process.js';
import { shorten } from '../shorten.js';
import { reset, step } from './call-environment.js';
import { repeatable, unthrown, type CheckContext, type EnvironmentCheck } from './check-context.js';
import { chooseAgain, differences, episodeBytes, playAgain, playEpisode } from './play-episode.js';
import { askEverything } from './repetition-checks.js';

/** Everything that a world and an instance do in their lives. */
async function live(context: CheckContext): Promise<void> {
  const world = await context.openUnowned();
  await world.splits.train.random(context.random.stream('life'));
  const [first] = context.sample;
  if (first !== undefined) await world.about?.(first.task);
  const environment = await context.createUnowned(world);
  for (const episode of unthrown(context.randomEpisodes).slice(0, 3)) {
    await playAgain(environment, episode, context.random);
    // Nobody asks for an action where a game has ended.
    await reset(environment, episode.task, context.random.stream('environment', episode.task));
    await askEverything(world, environment, context.random.stream('life'));
  }
  await environment.dispose?.();
  await world.close?.();
}

const checks: readonly EnvironmentCheck[] = [
  {
    id: 'tasks-differ',
    title: 'another id is another task',
    severity: 'error',
    likelyCause: '`reset` makes its task of the random stream, or of nothing, instead of the id',
    why: 'A thousand ids of one task are one task: training overfits it, and evaluation shows nothing.',
    cure: 'Make the task of its id; what `random` is for is chance within the episode.',
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
    id: 'global-random',
    title: 'Math.random is not called',
    severity: 'error',
    likelyCause: 'Math.random, or a library that uses it, instead of the stream that `reset` is given',
    ...globalRandom,
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
    title: 'nothing of the process is changed: listeners, globals, prototypes, environment variables, current folder',
    severity: 'error',
    likelyCause: 'process.on without its off in `dispose` or `close`, an assignment to a global, or process.chdir',
    ...globalState,
    run: async (context) => {
      const changed = await changedGlobals(() => live(context));
      return changed.map((name) => `after a world was closed, ${name} had changed`);
    },
  },
  {
    id: 'hidden-state',
    title: 'what the agent sees does not hold the state that is hidden from it',
    severity: 'error',
    likelyCause: 'the whole state, or a debugging line, is written into the observation',
    why: 'The agent would read the answer instead of finding it.',
    cure: 'Show what the rules let it see, and keep the rest in `facts.details`, which goes to the log alone.',
    idle: ({ randomEpisodes: [first] }) => (first === undefined ? 'there is no episode' : undefined),
    run: async (context) => {
      const environment = await context.create();
      if (environment.snapshot === undefined) return [];
      for (const { task, turns } of unthrown(context.randomEpisodes)) {
        let seen = (await reset(environment, task, context.random.stream('environment', task))).observation;
        for (const turn of [undefined, ...turns]) {
          if (turn !== undefined) seen = (await step(environment, turn.action)).observation;
          const state = JSON.stringify(await environment.snapshot());
          // A short one may stand there by chance.
          if (state.length < 12 || !seen.includes(state)) continue;
          return [`task ${shorten(task)}: the observation ${shorten(seen)} holds the snapshot ${shorten(state)}`];
        }
      }
      return [];
    },
  },
];

/** Of these, the clock alone plays what was played before. */
export const worldChecks = checks.map((check) => (check.id === 'clock' ? repeatable(check) : check));
