import type { AgentgymError } from '../errors/agentgym-error.js';
import type { TrainOutcome } from './runner.js';

/** The outcome of a run that an error ended. The cure of a fault of the cluster is part of the cause: no page shows it. */
export function failureOf({ code, hint, message }: AgentgymError): TrainOutcome {
  return { status: 'failed', cause: code === 'AG_RUNNER_UNAVAILABLE' ? `${message} ${hint}` : message, code };
}
