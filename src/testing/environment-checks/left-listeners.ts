import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Number of listeners on a signal after its calls have ended. */
export async function leftListeners(signal: AbortSignal): Promise<number> {
  const count = (): number => getEventListeners(signal, 'abort').length;
  // `fetch` removes the listener of a request only when the request is collected as garbage.
  for (let attempt = 0; attempt < 5 && count() > 0; attempt += 1) {
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
    await setImmediate();
  }
  return count();
}
