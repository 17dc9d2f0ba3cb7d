import { AgentgymError } from '../errors/agentgym-error.js';
import type { ErrorCode } from '../errors/error-codes.js';
import type { FailedOutcome } from './runner.js';

/** The outcome of a run that an error ended. */
export function failureOf({ code, hint, message }: AgentgymError): FailedOutcome {
  return { status: 'failed', cause: message, code, hint };
}

/** The cause of a failure in one text, for tables of runs. A fault of the cluster has its fix: no page shows that. */
export function causeOf({ cause, code, hint = '' }: FailedOutcome): string {
  return code === 'AG_RUNNER_UNAVAILABLE' ? `${cause} ${hint}`.trimEnd() : cause;
}

/** The failure as an error. @param otherwise its code if it is no error that the user can mend */
export function errorOf({ cause, code, hint }: FailedOutcome, otherwise: ErrorCode, before = ''): AgentgymError {
  return new AgentgymError(code ?? otherwise, { message: `${before}${cause}`, hint });
}
