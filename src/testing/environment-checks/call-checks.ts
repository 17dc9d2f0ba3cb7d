import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import type { Environment } from '../../contracts/environment.js';
import { messageOf } from '../../errors/message-of.js';
import { isUnavailable } from '../../errors/is-unavailable.js';
import { checkEnvironmentShape } from './check-shape.js';
import { unthrown, type CheckContext, type EnvironmentCheck } from './check-context.js';
import { differences, playAgain } from './play-episode.js';

/** Number of listeners on a signal after its calls have ended. */
async function listenersLeft(signal: AbortSignal): Promise<number> {
  const count = (): number => getEventListeners(signal, 'abort').length;
  // `fetch` removes the listener of a request only when the request is collected as garbage.
  for (let attempt = 0; attempt < 5 && count() > 0; attempt += 1) {
    collectGarbage();
    await setImmediate();
  }
  return count();
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/**
 * Creates an instance and plays an episode with one signal for all calls. Names the first call that left a listener on
 * the signal.
 */
async function playWithOneSignal(
  context: CheckContext,
  signal: AbortSignal,
): Promise<{ readonly environment: Environment; readonly found: readonly string[] }> {
  const environment: unknown = await context.world.create({ signal });
  checkEnvironmentShape(environment);
  const [episode] = unthrown(context.randomEpisodes);
  if (episode === undefined) return { environment, found: [] };
  const { task, turns } = episode;
  const calls: readonly (readonly [name: string, work: () => unknown])[] = [
    ['create', () => undefined],
    ['reset', () => environment.reset(task, { random: context.random.stream('environment', task), signal })],
    ['act', () => environment.act('random', { random: context.random.stream('signal'), signal })],
    ...turns.map(({ action }) => ['step', () => environment.step(action, { signal })] as const),
  ];
  for (const [name, work] of calls) {
    await work();
    const left = await listenersLeft(signal);
    if (left > 0) return { environment, found: [`${name} leaves ${left} listeners on the signal of its call`] };
  }
  return { environment, found: [] };
}

export const callChecks: readonly EnvironmentCheck[] = [
  {
    id: 'signals',
    title: 'a call leaves no listener on its signal, and aborting the signal later has no effect',
    severity: 'error',
    likelyCause: "addEventListener('abort', ...) without removal, or a signal that is kept after its call",
    why: 'A run makes millions of calls. Listeners accumulate, and a late abort would end a later episode.',
    cure: 'Remove the listener when the call ends, or pass the signal to the awaited function. Do not keep the signal.',
    run: async (context) => {
      const controller = new AbortController();
      let place = 'with one signal for all of its calls';
      let instance: Environment | undefined;
      try {
        const { environment, found } = await playWithOneSignal(context, controller.signal);
        instance = environment;
        place = 'after the signal of its calls was aborted';
        controller.abort(new Error('the time of the call was up'));
        await setImmediate();
        const [episode] = unthrown(context.randomEpisodes);
        if (episode === undefined || context.world.external === true) return found;
        return [...found, ...differences(episode, await playAgain(environment, episode, context.random), place)];
      } catch (error) {
        if (isUnavailable(error)) throw error;
        return [`${place}: ${messageOf(error)}`];
      } finally {
        await instance?.dispose?.();
      }
    },
  },
];
