import { messageOf } from '../../errors/message-of.js';
import { leftOpenBy } from '../open-resources.js';
import { shorten } from '../shorten.js';
import type { CheckContext, EnvironmentCheck } from './check-context.js';
import { chooseAgain, playEpisode } from './play-episode.js';

const strangers = ['', 'no such task', '__proto__', '../../', '-1', 'x'.repeat(1_000)];

/** Tries each admissible action of one state on instances that were led there. */
async function illegalAdmissible(context: CheckContext, task: string, actions: readonly string[]): Promise<string[]> {
  const environment = await context.create();
  const lead = async () => {
    await playEpisode(environment, task, context.random, (_, turn) => actions[turn], actions.length);
    return environment.admissible?.() ?? [];
  };
  const place = `task ${shorten(task)}, turn ${actions.length}`;
  const legal = await lead();
  if (legal.length === 0) return [`${place}: nothing is admissible, and the game goes on`];
  for (let index = 0; index < legal.length; index += Math.ceil(legal.length / 20)) {
    const action = legal[index] ?? '';
    if ((await lead())[index] !== action) return [`${place}: the list of admissible actions changes from call to call`];
    const { facts } = await environment.step(action);
    if (facts.invalid) return [`${place}: ${shorten(action)} is admissible and invalid`];
  }
  return [];
}

export const lifecycleChecks: readonly EnvironmentCheck[] = [
  {
    id: 'unknown-task',
    title: 'an id that is no task makes reset throw, and the instance still works',
    severity: 'error',
    likelyCause: 'an unknown id falls back to some task, or parseInt reads part of it',
    run: async (context) => {
      const environment = await context.create();
      const found: string[] = [];
      for (const stranger of strangers) {
        const thrown = await Promise.resolve()
          .then(() => environment.reset(stranger, { random: context.random.stream('stranger') }))
          .then(
            () => false,
            () => true,
          );
        if (!thrown) found.push(`reset(${shorten(stranger)}) did not throw`);
      }
      const [episode] = context.randomEpisodes;
      if (episode !== undefined && episode.thrown === undefined) {
        const again = await playEpisode(
          environment,
          episode.task,
          context.random,
          chooseAgain(episode),
          episode.turns.length,
        );
        if (again.thrown !== undefined)
          found.push(`after an unknown id, task ${shorten(episode.task)} threw: ${again.thrown.message}`);
      }
      return found;
    },
  },
  {
    id: 'admissible',
    title: 'admissible actions are legal',
    severity: 'error',
    likelyCause: 'the list is made by other rules than those of `step`',
    run: async (context) => {
      if ((await context.create()).admissible === undefined) return [];
      const found: string[] = [];
      for (const { task, turns } of [...context.randomEpisodes, ...(context.oracleEpisodes ?? [])]) {
        const actions = turns.map(({ action }) => action);
        for (const length of new Set([0, actions.length >> 1])) {
          if (length < actions.length)
            found.push(...(await illegalAdmissible(context, task, actions.slice(0, length))));
        }
      }
      return found;
    },
  },
  {
    id: 'dispose',
    title: 'dispose may be called twice, at any time',
    severity: 'error',
    likelyCause: 'freeing what is already freed, or what only `reset` makes',
    run: async (context) => {
      const found: string[] = [];
      for (const played of [false, true]) {
        const environment = await context.createUnowned();
        if (played)
          await environment.reset(context.sample[0]?.task ?? '', { random: context.random.stream('dispose') });
        for (const time of ['first', 'second']) {
          try {
            await environment.dispose?.();
          } catch (error) {
            const when = played ? 'in an episode' : 'before any episode';
            found.push(`the ${time} dispose ${when} threw: ${messageOf(error)}`);
          }
        }
      }
      return found;
    },
  },
  {
    id: 'handles',
    title: 'after dispose nothing holds the process open',
    severity: 'error',
    likelyCause: 'a timer, socket or child process that dispose leaves behind',
    run: (context) =>
      leftOpenBy(async () => {
        const environment = await context.createUnowned();
        const [episode] = context.randomEpisodes;
        if (episode !== undefined)
          await playEpisode(environment, episode.task, context.random, chooseAgain(episode), 5);
        await environment.dispose?.();
      }),
  },
];
