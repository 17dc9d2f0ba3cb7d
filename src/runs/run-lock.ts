import { basename } from 'node:path';

import { AgentgymError } from '../errors/agentgym-error.js';
import { isForeign } from '../processes/process-identity.js';
import { acquireProcessLock, lockOwner, type ProcessLock } from '../processes/process-lock.js';

/** The right to write in a run's folder. At most one living process holds it. */
export type RunLock = ProcessLock;

/**
 * Takes the lock of a run's folder, or throws AG_RUN_LOCKED if a living process holds it; a dead owner never blocks.
 */
export function acquireRunLock(directory: string): RunLock {
  return acquireProcessLock(directory, (owner, file) => {
    const { pid, host = '' } = owner;
    const [machine] = host.split(' ');
    const where = isForeign(owner) ? ` on ${machine}` : '';
    return new AgentgymError('AG_RUN_LOCKED', {
      message: `Process ${pid}${where} is working in the run ${basename(directory)} (${directory}).`,
      hint: `Wait until process ${pid} ends, or stop it${where} with \`kill ${pid}\`; it then leaves a checkpoint.`,
      file,
    });
  });
}

/** The living process that holds a run's lock, if there is one. */
export const runOwner = lockOwner;
