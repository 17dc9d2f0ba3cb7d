import type { PolicyModel } from '../contracts/policy.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { codeOf } from '../errors/code-of.js';
import { reasonOf } from '../errors/message-of.js';

/**
 * Loads the weights of a checkpoint.
 *
 * @throws AG_CHECKPOINT_BROKEN with the policy's reason, unless its server is away or the work was interrupted
 */
export async function loadWeights(policy: Pick<PolicyModel, 'load'>, directory: string): Promise<void> {
  try {
    await policy.load(directory);
  } catch (error) {
    if (codeOf(error) !== 'AG_BUG' || (error instanceof Error && error.name === 'AbortError')) throw error;
    throw new AgentgymError('AG_CHECKPOINT_BROKEN', {
      message: `The policy cannot load the checkpoint ${directory}: ${reasonOf(error)}.`,
      file: directory,
      cause: error,
    });
  }
}
