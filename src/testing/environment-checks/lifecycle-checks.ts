import { setTimeout as wait } from 'node:timers/promises';

import { quietly } from '../conformance-kit.js';
import { firstFound, foundAt } from '../findings.js';
import { freedTwice, leftOpenBy } from '../open-resources.js';
import { shorten } from '../shorten.js';
import { freshCall, freshDraw, reset, step } from './call-environment.js';
import { allEpisodes, type EnvironmentCheck, onOneInstance, unthrown } from './environment-context.js';
import { leftListeners } from './left-listeners.js';
import { chooseAgain, episodeDifference, placeOfThrown, playAgain, playEpisode } from './play-episode.js';

const strangers = ['', 'no such task', '__proto__', '../../', '-1', 'x'.repeat(1_000)];

export const lifecycleChecks: readonly EnvironmentCheck[] = [
  {
    id: 'signals',
    title: 'a call leaves no listener on its signal, and aborting the signal later has no effect',
    cure: 'Remove the listener when the call ends, or pass the signal to the awaited function. Do not keep the signal.',
    run: async (context) => {
      const { random, world } = context;
      const [episode] = unthrown(context);
      if (episode === undefined) return undefined;
      const { task, turns } = episode;
      const controller = new AbortController();
      const { signal } = controller;
      const environment = await world.create({ signal });
      const draw = (stream: string) => ({ random: random.stream(stream, task), signal });
      const calls: readonly (readonly [name: string, work: () => unknown])[] = [
        ['create', () => undefined],
        ['reset', () => environment.reset(task, draw('environment'))],
        ['act', () => environment.act('random', draw('signal'))],
        ...turns.map(({ action }) => ['step', () => environment.step(action, { signal })] as const),
      ];
      const before = await firstFound(calls, ([name, work]) =>
        foundAt(`${name} with one signal for all calls`, async () => {
          await work();
          const left = await leftListeners(signal);
          return left > 0 ? `${left} listeners are left on the signal` : undefined;
        }),
      );
      controller.abort(new Error('the time of the call was up'));
      await wait();
      const again = world.external === true ? episode : await playAgain(environment, episode, random);
      await quietly(() => environment.dispose?.());
      return before ?? episodeDifference(episode, again, 'after the signal of its calls was aborted');
    },
  },
  {
    id: 'unknown-task',
    title: 'reset() throws for an unknown task id, and the instance still works',
    cure: 'Match the whole id, and throw an error that names it.',
    run: onOneInstance(async (environment, context) => {
      const accepted = await firstFound(strangers, async (stranger) => {
        const start = await reset(environment, stranger, context.random.stream('stranger')).catch(() => undefined);
        return start && `reset(${shorten(stranger)}) did not throw`;
      });
      const [episode] = unthrown(context);
      const again = episode && (await playAgain(environment, episode, context.random));
      if (again?.thrown === undefined) return accepted;
      return [accepted, `after an unknown id, task ${shorten(again.task)}: ${placeOfThrown(again)}`];
    }),
  },
  {
    id: 'admissible',
    title: 'admissible actions are legal',
    cure: 'Compute the list with the rules of step().',
    run: onOneInstance((environment, context) => {
      const episodes = environment.admissible === undefined ? [] : allEpisodes(context);
      const places = episodes.flatMap((episode) => {
        const { length } = episode.turns;
        return length === 0 ? [] : [...new Set([0, length >> 1])].map((turns) => ({ episode, turns }));
      });
      return firstFound(places, async ({ episode, turns }) => {
        const { task } = episode;
        // Before each action, the instance is brought to this state again.
        const lead = async (): Promise<readonly string[]> => {
          await playEpisode(environment, task, context.random, chooseAgain(episode), turns);
          return (await environment.admissible?.()) ?? [];
        };
        const legal = await lead();
        const place = `task ${shorten(task)}, turn ${turns}`;
        if (legal.length === 0) return `${place}: no action is admissible, but the game continues`;
        const some = legal.filter((_, index) => index % Math.ceil(legal.length / 20) === 0);
        return firstFound(some, async (action) => {
          if (!(await lead()).includes(action)) return `${place}: the admissible actions change from call to call`;
          const { facts } = await step(environment, action);
          return facts.invalid ? `${place}: ${shorten(action)} is admissible but invalid` : undefined;
        });
      });
    }),
  },
  {
    id: 'dispose',
    title: 'dispose() and close() may be called twice, at any time, also during a call',
    cure: 'Let them do nothing if there is nothing to free, and do not wait for a call in progress.',
    run: async (context) => {
      const [task = ''] = context.tasks;
      const world = await context.open();
      const disposed = await firstFound(['before any episode', 'in an episode', 'during a step'], async (when) => {
        const environment = await context.create(world);
        if (when !== 'before any episode')
          await quietly(() => environment.reset(task, freshDraw(context.random.stream('environment', task))));
        const action = context.randomEpisodes[0]?.turns[0]?.action ?? '';
        const pending = when === 'during a step' ? quietly(() => environment.step(action, freshCall())) : undefined;
        const found = await freedTwice(`dispose ${when}`, () => environment.dispose?.());
        // The outcome of the call no longer matters.
        await Promise.race([pending, wait(1_000, undefined, { ref: false })]);
        return found;
      });
      const unplayed = await context.open();
      return [
        disposed,
        await freedTwice('close after disposing of instances', () => world.close?.()),
        await freedTwice('close before any instance', () => unplayed.close?.()),
      ];
    },
  },
  {
    id: 'handles',
    title: 'after dispose() and close() no open resource or child process remains',
    cure: 'Close timers, sockets and child processes in dispose() or close(); start child processes with host.spawn().',
    run: (context) =>
      leftOpenBy(async () => {
        const world = await context.open();
        const environment = await context.create(world);
        const [episode] = context.randomEpisodes;
        const some = episode && { ...episode, turns: episode.turns.slice(0, 5) };
        if (some !== undefined) await playAgain(environment, some, context.random);
        await environment.dispose?.();
        await world.close?.();
      }),
  },
];
