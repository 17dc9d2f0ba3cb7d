import { access, constants, lstat, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { AgentgymError } from '../errors/agentgym-error.js';

/** These are not content: a repository may exist before its files, and file managers write notes everywhere. */
const NOT_IN_THE_WAY = ['.git', '.DS_Store'];
const SHOWN = 8;

/**
 * Checks whether these files can be written to a folder, before any file is written.
 *
 * @param target absolute path of the folder; it need not exist
 * @param paths of the files, relative to it
 * @throws AgentgymError AG_INIT_TARGET
 */
export async function checkTarget(target: string, paths: readonly string[], force: boolean): Promise<void> {
  const found = await stat(target).catch(ifMissing);
  if (found === undefined) return checkWritable(target, await nearestFolder(dirname(target)));
  if (!found.isDirectory()) {
    throw refused(`${target} is a file`, 'Give a folder; it may be new.');
  }
  await checkWritable(target, target);
  if (!force) {
    const inTheWay = (await readdir(target)).filter((name) => !NOT_IN_THE_WAY.includes(name)).sort();
    if (inTheWay.length === 0) return;
    const more = inTheWay.length > SHOWN ? ` and ${inTheWay.length - SHOWN} more` : '';
    throw refused(`${target} is not empty: it contains ${inTheWay.slice(0, SHOWN).join(', ')}${more}`);
  }
  for (const path of paths) await checkReplaceable(target, path);
}

/** With `--force` plain files are overwritten; folders and links stay, because a link leads to another place. */
async function checkReplaceable(target: string, path: string): Promise<void> {
  const parts = path.split('/');
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const place = join(target, ...parts.slice(0, depth));
    const found = await lstat(place).catch(ifMissing);
    if (found === undefined) return;
    const wanted = depth < parts.length ? 'folder' : 'file';
    if (wanted === 'folder' ? found.isDirectory() : found.isFile()) continue;
    throw refused(`${place} is not a ${wanted}, but a ${wanted} must be written there`, 'Move it away.');
  }
}

async function checkWritable(target: string, folder: string): Promise<void> {
  try {
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const where = folder === target ? target : `${target}: ${folder}`;
    throw refused(`${where} cannot be written to`, 'Choose another folder, or change its permissions.', cause);
  }
}

/** The nearest folder that exists. */
async function nearestFolder(path: string): Promise<string> {
  const found = await stat(path).catch(ifMissing);
  if (found === undefined) return nearestFolder(dirname(path));
  if (found.isDirectory()) return path;
  throw refused(`${path} is a file, but must be a folder`, 'Choose another folder.');
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  // ENOTDIR: a parent of the path is a file. The search through the parents finds it later.
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
  throw refused(`${error.path ?? 'the folder'} cannot be read: ${error.message}`, undefined, error);
}

function refused(message: string, hint?: string, cause?: unknown): AgentgymError {
  return new AgentgymError('AG_INIT_TARGET', { message, hint, cause });
}
