import type { AgentgymError } from '../errors/agentgym-error.js';
import type { FailedOutcome } from './runner.js';

/** The outcome of a run that an error ended. */
export function failureOf({ code, hint, message }: AgentgymError): FailedOutcome {
  return { status: 'failed', cause: message, code, hint };
}

/** The cause of a failure in one text, for tables of runs. A fault of the cluster has its fix: no page shows that. */
export function causeOf({ cause, code, hint = '' }: FailedOutcome): string {
  return code === 'AG_RUNNER_UNAVAILABLE' ? `${cause} ${hint}`.trimEnd() : cause;
}
