import { AgentgymError } from '../errors/agentgym-error.js';

/** An error about a flag without effect. */
export function idleFlag(flag: string, why: string): AgentgymError {
  return new AgentgymError('AG_COMMAND_USAGE', {
    message: `\`${flag}\` has no effect: ${why}.`,
    hint: `Remove \`${flag}\`, or choose another \`--format\`.`,
  });
}
