import type { RunEvent } from '../contracts/events.js';
import type { ProgressDisplay } from './progress-display.js';

/** Environment variable of a process whose progress its parent shows. */
export const channelVariable = 'AGENTGYM_PROGRESS';
/** Its value where events go through the channel that the parent opened. */
export const channelValue = 'channel';

/** Hands every event to the parent process. */
export function channelProgress(send: (event: RunEvent) => void): ProgressDisplay {
  return { event: send, close: () => Promise.resolve() };
}
