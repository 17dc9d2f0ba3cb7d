import { AgentgymError } from '../errors/agentgym-error.js';

/** Waits for `work`, or rejects with AG_INTERRUPTED as soon as the signal is aborted. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(interruption());
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop);
    // The loser of the race may still fail, and nothing handles that rejection.
    work.catch(() => undefined);
  }
}

function interruption(): AgentgymError {
  return new AgentgymError('AG_INTERRUPTED', { message: 'Interrupted.' });
}
