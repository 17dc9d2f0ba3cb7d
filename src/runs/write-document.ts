import { rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { AgentgymError } from '../errors/agentgym-error.js';
import { systemReason } from '../errors/system-error.js';
import { makeFolder } from '../files/make-folder.js';

/**
 * Writes a file and its parent folders, whole or not at all, so that no reader sees half a document. Throws
 * AG_REPORT_WRITE_FAILED.
 *
 * @param name the name of the document in the error
 */
export async function writeDocument(file: string, text: string, name: string): Promise<void> {
  const temporary = join(dirname(file), `.${basename(file)}.${process.pid}.writing`);
  try {
    await makeFolder(dirname(file));
    await writeFile(temporary, text);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw new AgentgymError('AG_REPORT_WRITE_FAILED', {
      message: `Could not write ${name}: ${systemReason(error)}.`,
      file,
      cause: error,
    });
  }
}
