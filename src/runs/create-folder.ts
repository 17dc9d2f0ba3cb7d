import { randomBytes } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { AgentgymError, isAgentgymError } from '../errors/agentgym-error.js';
import { systemReason } from '../errors/system-error.js';
import { makeFolder } from '../files/make-folder.js';
import { createFirstLock, firstLock, type ProcessLock } from '../processes/process-lock.js';

/**
 * Creates the folder of a run or an ablation, as a whole or not at all: a process that is killed meanwhile leaves only
 * a folder `.creating-*` beside it.
 *
 * @param of "run" or "ablation", for the error
 * @param fill writes the files of the folder at a temporary place, and throws if the folder exists
 * @returns the lock of the folder; throws AG_RUN_WRITE_FAILED if it cannot be created
 */
export async function createFolder(
  path: string,
  of: string,
  fill: (temporary: string) => Promise<void>,
): Promise<ProcessLock> {
  const temporary = join(dirname(path), `.creating-${randomBytes(4).toString('hex')}`);
  try {
    await makeFolder(temporary);
    createFirstLock(temporary);
    await fill(temporary);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true }).catch(() => undefined);
    if (isAgentgymError(error)) throw error;
    throw new AgentgymError('AG_RUN_WRITE_FAILED', {
      message: `Could not create the ${of}'s folder ${path}: ${systemReason(error)}.`,
      hint: 'Choose a writable folder with `--output DIR`.',
      file: path,
      cause: error,
    });
  }
  return firstLock(path);
}
