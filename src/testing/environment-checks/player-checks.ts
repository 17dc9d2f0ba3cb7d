import type { Environment } from '../../contracts/environment.js';
import { messageOf } from '../../errors/message-of.js';
import { isUnavailable } from '../../errors/is-unavailable.js';
import { shorten } from '../shorten.js';
import { act, conclude, reset } from './call-environment.js';
import { onInstance, unthrown, type CheckContext, type EnvironmentCheck } from './check-context.js';
import { chooseAs, differences, playAgain, playEpisode, type CheckedEpisode } from './play-episode.js';

const playersOf = ({ world }: CheckContext): readonly string[] => ['random', ...(world.experts ?? [])];

/** A sentence if a player acts differently at the start of a task when it is asked twice with the same stream. */
async function badPlayer(context: CheckContext, environment: Environment, name: string): Promise<string | undefined> {
  const stream = () => context.random.stream('player', name);
  const first = await act(environment, name, stream());
  const again = await act(environment, name, stream());
  if (first === again || context.world.external === true) return undefined;
  return `with one random stream it first does ${shorten(first)}, then ${shorten(again)}`;
}

/** Brings two instances to the same state and grades both. Then plays the whole episode on the second. */
async function gradedTwice(
  context: CheckContext,
  episode: CheckedEpisode,
  cause: 'horizon' | 'tokens',
): Promise<readonly string[]> {
  const last = episode.turns.at(-1)?.result;
  const ended = last?.terminated === true || last?.truncated === true;
  const turns = episode.turns.slice(0, ended ? -1 : undefined);
  if (turns.length === 0) return [];
  const place = `task ${shorten(episode.task)}, cut by its ${cause} after turn ${turns.length - 1}`;
  const led = (play: (environment: Environment) => Promise<string>): Promise<string> =>
    onInstance(context, async (environment) => {
      await playAgain(environment, { ...episode, turns }, context.random);
      return play(environment);
    });
  const declared = context.contribution.facts ?? [];
  let found: string[] = [];
  const grade = async (environment: Environment): Promise<string> => {
    const conclusion = await conclude(environment, cause);
    const missing = declared.find((fact) => conclusion?.facts[fact] === undefined);
    if (missing !== undefined) throw new Error(`\`${missing}\` is declared but not reported`);
    return JSON.stringify(conclusion);
  };
  try {
    const one = await led(grade);
    const other = await led(async (environment) => {
      const graded = await grade(environment);
      const again = await playAgain(environment, episode, context.random);
      found = differences(episode, again, 'after another conclude()');
      return graded;
    });
    if (context.world.external === true) return [];
    return one === other ? found : [`${place}: the result is ${one}, but ${other} on another instance`];
  } catch (error) {
    if (isUnavailable(error)) throw error;
    return [`${place}: ${messageOf(error)}`];
  }
}

export const playerChecks: readonly EnvironmentCheck[] = [
  {
    id: 'players',
    title: 'every named player can act',
    severity: 'error',
    likelyCause: 'a name in `experts` that `act` does not know',
    why: 'Every episode of a named player that cannot act fails.',
    cure: 'List in `experts` exactly the players of act().',
    run: async (context) => {
      const environment = await context.create();
      const found: string[] = [];
      const begun = context.randomEpisodes.filter(({ thrown }) => thrown?.phase !== 'reset');
      for (const { task } of begun.slice(0, 3)) {
        await reset(environment, task, context.random.stream('environment', task));
        for (const name of playersOf(context)) {
          const complaint = await badPlayer(context, environment, name).catch((error: unknown) => {
            if (isUnavailable(error)) throw error;
            return `it threw: ${messageOf(error)}`;
          });
          if (complaint !== undefined) found.push(`${name}, at the start of task ${shorten(task)}: ${complaint}`);
        }
        if (found.length > 0) return found;
      }
      return found;
    },
  },
  {
    id: 'experts',
    title: 'every named expert plays legal actions to the end',
    severity: 'error',
    likelyCause: 'an expert that writes another grammar than `step` reads, or has no answer in some states',
    why: 'Demonstrations with illegal actions teach illegal actions.',
    cure: 'Let every expert answer every state with an action that step() accepts.',
    run: async (context) => {
      const environment = await context.create();
      for (const name of (context.world.experts ?? []).filter((expert) => expert !== 'oracle')) {
        for (const { task } of context.sample) {
          const choose = chooseAs(name, context.random, task);
          const { turns, thrown } = await playEpisode(
            environment,
            task,
            context.random,
            choose,
            context.settings.turns,
          );
          const invalid = turns.findIndex(({ result }) => result.facts.invalid);
          const place = `${name}, task ${shorten(task)}`;
          if (thrown !== undefined && thrown.phase !== 'answer')
            return [`${place}: ${thrown.phase} ${turns.length} threw: ${thrown.message}`];
          if (invalid >= 0) return [`${place}: turn ${invalid}, ${shorten(turns[invalid]?.action ?? '')}, is invalid`];
        }
      }
      return [];
    },
  },
  {
    id: 'conclude',
    title:
      'conclude grades a cut episode the same each time, with the declared facts, and the next episode starts fresh',
    severity: 'error',
    likelyCause: 'the grade depends on the clock or on another instance, or `conclude` changes the task',
    why: 'The grade of a cut episode is its reward. It would differ from run to run, or change the next episode.',
    cure: 'Grade the current state as a function of the episode only. Report the declared facts, and let reset() start fresh.',
    idle: ({ concludes }) => (concludes ? undefined : 'the environment has no conclude()'),
    run: async (context) => {
      for (const [index, episode] of unthrown(context.randomEpisodes).entries()) {
        const found = await gradedTwice(context, episode, index % 2 === 0 ? 'horizon' : 'tokens');
        if (found.length > 0) return found;
      }
      return [];
    },
  },
];
