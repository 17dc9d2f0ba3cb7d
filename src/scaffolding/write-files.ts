import { mkdtemp, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { AgentgymError } from '../errors/agentgym-error.js';
import { systemReason } from '../errors/system-error.js';
import type { ScaffoldFile } from './fill-template.js';
import { makeFolder } from '../files/make-folder.js';
import { renameIfThere } from '../files/rename-if-there.js';

/**
 * Writes all files or none. They are first written next to the target and then moved into place. After any error, moved
 * files are removed, and overwritten files are restored.
 *
 * @param target absolute path of the folder; created if it does not exist
 * @throws AgentgymError AG_INIT_TARGET, or the reason of an aborted signal
 */
export async function writeFiles(target: string, files: readonly ScaffoldFile[], signal: AbortSignal): Promise<void> {
  const undo: Undo[] = [];
  /** Removes the target itself if it did not exist before. */
  const undoTarget: Undo[] = [];
  let staging: string | undefined;
  try {
    await makeUndoably(target, undoTarget);
    staging = await mkdtemp(join(target, `.${basename(target)}-init-`));
    for (const [i, { content }] of files.entries()) {
      signal.throwIfAborted();
      await writeFile(join(staging, `new-${i}`), content);
    }
    for (const [i, { path }] of files.entries()) {
      signal.throwIfAborted();
      const place = join(target, ...path.split('/'));
      await makeUndoably(dirname(place), undo);
      const old = join(staging, `old-${i}`);
      if (await renameIfThere(place, old)) undo.push(() => rename(old, place));
      await rename(join(staging, `new-${i}`), place);
      undo.push(() => rm(place));
    }
  } catch (error) {
    // Last first: a file is removed before its predecessor is restored, and a folder after its content.
    for (const step of undo.reverse()) await step();
    if (staging !== undefined) await rm(staging, { recursive: true, force: true });
    staging = undefined;
    for (const step of undoTarget) await step();
    if (signal.aborted) throw error;
    throw new AgentgymError('AG_INIT_TARGET', {
      message: `${target} cannot be written to: ${systemReason(error)}`,
      hint: 'Nothing was changed. Free disk space, change permissions, or choose another folder.',
      cause: error,
    });
  } finally {
    if (staging !== undefined) await rm(staging, { recursive: true, force: true });
  }
}

type Undo = () => Promise<unknown>;

/** Creates a folder and its missing parents, and records how to remove them. */
async function makeUndoably(folder: string, undo: Undo[]): Promise<void> {
  const first = await makeFolder(folder);
  if (first === undefined) return;
  const made: string[] = [];
  for (let path = folder; path.length >= first.length; path = dirname(path)) made.push(path);
  undo.push(async () => {
    for (const path of made) await rmdir(path);
  });
}
