import { formatPath, type KeyPath } from '../config/recipe-layer.js';
import { AgentgymError, isAgentgymError } from '../errors/agentgym-error.js';

/** Adds this key to an error without a key. */
export async function atKey<T>(path: KeyPath, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isAgentgymError(error) || error.path !== undefined || error.code === 'AG_INTERRUPTED') throw error;
    throw new AgentgymError(error.code, {
      ...error,
      message: error.message,
      path: formatPath(path),
      cause: error.cause,
    });
  }
}
