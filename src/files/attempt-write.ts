import { AgentgymError } from '../errors/agentgym-error.js';
import { systemReason } from '../errors/system-error.js';

/** Writes a file of a run. @throws AG_RUN_WRITE_FAILED, for example if the disk is full */
export function attemptWrite<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    refuseWrite(path, error);
  }
}

/** @throws AG_RUN_WRITE_FAILED with the reason of the system */
export function refuseWrite(path: string, error: unknown): never {
  throw new AgentgymError('AG_RUN_WRITE_FAILED', {
    message: `Could not write ${path}: ${systemReason(error)}.`,
    file: path,
    cause: error,
  });
}
