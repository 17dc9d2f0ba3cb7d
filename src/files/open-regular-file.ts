// A pipe, a device or a socket behind the name of a file blocks its reader, or gives bytes without end. The path is looked
// at before it is opened, because opening a device may already act on it, and again afterwards, because it may have changed.
import { closeSync, constants, fstatSync, openSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, lstat, open, stat } from 'node:fs/promises';

import { AgentgymError } from '../errors/agentgym-error.js';

/** Without waiting for a writer of a pipe, and without getting a terminal that controls the process. Windows lacks both. */
const forReading = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/**
 * Opens a file to read it.
 *
 * @param links whether a symbolic link is followed; `refuse` where another program writes the folder, and could lead out of it
 * @throws AG_FILE_REFUSED if it is not a regular file, or the error of the operating system
 */
export async function openRegularFile(path: string, links: 'follow' | 'refuse' = 'follow'): Promise<FileHandle> {
  const follows = links === 'follow';
  refuseOther(path, await (follows ? stat : lstat)(path));
  const file = await open(path, follows ? forReading : forReading | (constants.O_NOFOLLOW ?? 0));
  try {
    refuseOther(path, await file.stat());
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Like `openRegularFile`. Returns the descriptor. */
export function openRegularFileSync(path: string): number {
  refuseOther(path, statSync(path));
  const file = openSync(path, forReading);
  try {
    refuseOther(path, fstatSync(file));
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function refuseOther(path: string, found: Stats): void {
  if (found.isFile()) return;
  throw new AgentgymError('AG_FILE_REFUSED', {
    message: `${path} is ${kindOf(found)}, not a file.`,
    hint: 'Give a regular file, or a link to one. Write the output of a program into a file first.',
    file: path,
  });
}

function kindOf(found: Stats): string {
  if (found.isDirectory()) return 'a folder';
  if (found.isFIFO()) return 'a pipe';
  if (found.isSocket()) return 'a socket';
  if (found.isSymbolicLink()) return 'a link';
  return 'a device';
}
