import type { Awaitable, Environment } from '../contracts/environment.js';
import { withinDeadline } from '../errors/within-deadline.js';

/** Instances of one environment, reused from episode to episode. */
export interface EnvironmentPool {
  /** An idle instance, or a new one. */
  acquire(): Promise<Environment>;
  /** Gives an instance back for the next episode. */
  release(environment: Environment): void;
  /** Gives back an instance that broke or hangs: it is disposed of and never used again. */
  discard(environment: Environment): Promise<void>;
  /** Disposes of every instance, in use or not. */
  dispose(): Promise<void>;
}

/** How long an instance may take to clean up before it is left behind. */
const disposalMilliseconds = 5000;

/** Which instance plays which episode is not observable: `reset` rebuilds the whole task. */
export function createEnvironmentPool(create: () => Awaitable<Environment>): EnvironmentPool {
  const idle: Environment[] = [];
  const all = new Set<Environment>();
  let closed = false;

  async function discard(environment: Environment): Promise<void> {
    if (!all.delete(environment)) return;
    try {
      await withinDeadline('dispose', disposalMilliseconds, () => environment.dispose?.());
    } catch {
      // It is thrown away anyway, and what broke it has been recorded.
    }
  }

  return {
    async acquire() {
      const waiting = idle.pop();
      if (waiting !== undefined) return waiting;
      const environment = await create();
      all.add(environment);
      // Made too late for whoever asked.
      if (closed) await discard(environment);
      return environment;
    },
    release(environment) {
      if (all.has(environment)) idle.push(environment);
    },
    discard,
    async dispose() {
      closed = true;
      idle.length = 0;
      await Promise.all([...all].map(discard));
    },
  };
}
