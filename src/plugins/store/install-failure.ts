import { AgentgymError } from '../../errors/agentgym-error.js';

/** The error of an installation whose program cannot be run, or does not end. */
export function installFailure(message: string): AgentgymError {
  return new AgentgymError('AG_PLUGIN_INSTALL_FAILED', { message });
}
