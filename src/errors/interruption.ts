import { AgentgymError } from './agentgym-error.js';
import { messageOf } from './message-of.js';

/** The error of work that an aborted signal stopped, with a hint how to go on. */
export function interruption({ reason }: AbortSignal, hint: string): AgentgymError {
  return new AgentgymError('AG_INTERRUPTED', { message: messageOf(reason), hint, cause: reason });
}
