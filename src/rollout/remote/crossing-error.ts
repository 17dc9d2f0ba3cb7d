import { AgentgymError, isAgentgymError } from '../../errors/agentgym-error.js';
import type { ErrorCode } from '../../errors/error-codes.js';
import { messageOf } from '../../errors/message-of.js';
import { DeadlineError } from '../../errors/within-deadline.js';
import type { CrossingError } from './thread-messages.js';

/** An error as data for another thread. */
export function crossing(error: unknown): CrossingError {
  const message = messageOf(error);
  if (isAgentgymError(error)) return { kind: 'agentgym', message, code: error.code, hint: error.hint };
  return { kind: error instanceof DeadlineError ? 'deadline' : 'plain', message };
}

/** The error that crossed. */
export function readError({ kind, message, code, hint }: CrossingError): Error {
  if (kind === 'agentgym') return new AgentgymError(code as ErrorCode, { message, hint });
  return kind === 'deadline' ? new DeadlineError(message) : new Error(message);
}
