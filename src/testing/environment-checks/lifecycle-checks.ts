import { setTimeout as wait } from 'node:timers/promises';

import type { Awaitable, Environment } from '../../contracts/environment.js';
import { messageOf } from '../../errors/message-of.js';
import { leftOpenBy } from '../open-resources.js';
import { shorten } from '../shorten.js';
import { freshCall, freshDraw, reset, step } from './call-environment.js';
import { allEpisodes, type CheckContext, type EnvironmentCheck } from './check-context.js';
import { playAgain, playEpisode } from './play-episode.js';

const strangers = ['', 'no such task', '__proto__', '../../', '-1', 'x'.repeat(1_000)];

/** Tries up to 20 admissible actions of one state. Before each, the instance is brought to this state again. */
async function illegalAdmissible(
  context: CheckContext,
  environment: Environment,
  task: string,
  actions: readonly string[],
): Promise<string[]> {
  const lead = async () => {
    await playEpisode(environment, task, context.random, (_, turn) => actions[turn], actions.length);
    return (await environment.admissible?.()) ?? [];
  };
  const place = `task ${shorten(task)}, turn ${actions.length}`;
  const legal = await lead();
  if (legal.length === 0) return [`${place}: no action is admissible, but the game continues`];
  for (let index = 0; index < legal.length; index += Math.ceil(legal.length / 20)) {
    const action = legal[index] ?? '';
    if ((await lead())[index] !== action) return [`${place}: the list of admissible actions changes from call to call`];
    const { facts } = await step(environment, action);
    if (facts.invalid) return [`${place}: ${shorten(action)} is admissible but invalid`];
  }
  return [];
}

export const lifecycleChecks: readonly EnvironmentCheck[] = [
  {
    id: 'unknown-task',
    title: 'reset throws for an unknown task id, and the instance still works',
    severity: 'error',
    likelyCause: 'an unknown id falls back to another task, or parseInt reads only part of it',
    why: 'A misspelt or outdated id would silently select another task.',
    cure: 'Match the whole id, and throw an error that names it.',
    run: async (context) => {
      const environment = await context.create();
      const found: string[] = [];
      for (const stranger of strangers) {
        const thrown = await reset(environment, stranger, context.random.stream('stranger')).then(
          () => false,
          () => true,
        );
        if (!thrown) found.push(`reset(${shorten(stranger)}) did not throw`);
      }
      const [episode] = context.randomEpisodes;
      if (episode !== undefined && episode.thrown === undefined) {
        const again = await playAgain(environment, episode, context.random);
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
    likelyCause: 'the list and `step` use different rules',
    why: 'Players that choose from the list, and advice that counts it, would be wrong.',
    cure: 'Compute the list with the rules of step().',
    run: async (context) => {
      const environment = await context.create();
      if (environment.admissible === undefined) return [];
      const found: string[] = [];
      for (const { task, turns } of allEpisodes(context)) {
        const actions = turns.map(({ action }) => action);
        for (const length of new Set([0, actions.length >> 1])) {
          if (length < actions.length)
            found.push(...(await illegalAdmissible(context, environment, task, actions.slice(0, length))));
        }
      }
      return found;
    },
  },
  {
    id: 'dispose',
    title: 'dispose may be called twice, at any time, also during a call',
    severity: 'error',
    likelyCause:
      'it frees something that is already free or that only `reset` creates, or waits for a call in progress',
    why: 'The pool disposes of instances at the end and after failures, at any time. An exception there hides the first error.',
    cure: 'Let dispose() do nothing if there is nothing to free.',
    run: async (context) => {
      const found: string[] = [];
      const [{ task, turns } = { task: context.sample[0]?.task ?? '', turns: [] }] = context.randomEpisodes;
      const [turn] = turns;
      for (const when of ['before any episode', 'in an episode', 'during a step'] as const) {
        const environment = await context.createUnowned();
        // Another check reports tasks that cannot be played.
        if (when !== 'before any episode')
          await begin(() => environment.reset(task, freshDraw(context.random.stream('environment', task))));
        const pending =
          when === 'during a step' ? begin(() => environment.step(turn?.action ?? '', freshCall())) : undefined;
        found.push(...(await freedTwice(`dispose ${when}`, () => environment.dispose?.())));
        // The outcome of the call no longer matters.
        await Promise.race([pending, wait(1_000, undefined, { ref: false })]);
      }
      return found;
    },
  },
  {
    id: 'close',
    title: 'a world may be closed twice, with or without play',
    severity: 'error',
    likelyCause: 'it frees something that is already free or that only `create` creates',
    why: 'Worlds are closed at the end of a run and after failures. An exception there hides the first error.',
    cure: 'Let close() do nothing if there is nothing to free.',
    run: async (context) => {
      const found: string[] = [];
      for (const played of [false, true]) {
        const world = await context.openUnowned();
        if (played) await (await context.createUnowned(world)).dispose?.();
        const when = played ? 'after disposing of an instance' : 'before any instance';
        found.push(...(await freedTwice(`close ${when}`, () => world.close?.())));
      }
      return found;
    },
  },
  {
    id: 'handles',
    title: 'after dispose and close no open resource or child process remains',
    severity: 'error',
    likelyCause: '`dispose` or `close` leaves a timer, socket or child process open',
    why: 'A run creates hundreds of instances. Their open resources accumulate until the process cannot open more, or never ends.',
    cure: 'Close timers, sockets and child processes in dispose() or close(); start child processes with host.spawn().',
    run: (context) =>
      leftOpenBy(async () => {
        const world = await context.openUnowned();
        const environment = await context.createUnowned(world);
        const [episode] = context.randomEpisodes;
        if (episode !== undefined)
          await playAgain(environment, { ...episode, turns: episode.turns.slice(0, 5) }, context.random);
        await environment.dispose?.();
        await world.close?.();
      }),
  },
];

/** Begins a call whose outcome does not matter. */
async function begin(call: () => Awaitable<unknown>): Promise<void> {
  try {
    await call();
  } catch {
    // The instance may have been disposed of during the call.
  }
}

async function freedTwice(what: string, free: () => Awaitable<void>): Promise<string[]> {
  const found: string[] = [];
  for (const time of ['first', 'second']) {
    try {
      await free();
    } catch (error) {
      found.push(`the ${time} ${what} threw: ${messageOf(error)}`);
    }
  }
  return found;
}
