import type { RunEvent } from '../contracts/events.js';
import type { ProgressDisplay } from './progress-display.js';

/** The parent process sets this environment variable if it shows the progress of its child. */
export const channelVariable = 'AGENTGYM_PROGRESS';
/** The value of the variable if events go through the channel that the parent opened. */
export const channelValue = 'channel';

/** Sends every event to the parent process. */
export function channelProgress(send: (event: RunEvent) => void): ProgressDisplay {
  return { event: send, close: () => Promise.resolve() };
}
