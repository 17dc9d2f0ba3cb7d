import { randomBytes } from 'node:crypto';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Writes a JSON document so that a reader sees the whole old one or the whole new one, even if the machine stops.
 *
 * @param mode who may read it; absent: as the process's umask says
 */
export async function writeJsonAtomically(path: string, value: object, mode?: number): Promise<void> {
  const temporary = join(dirname(path), `.writing-${randomBytes(4).toString('hex')}`);
  try {
    const file = await open(temporary, 'wx', mode);
    try {
      await file.writeFile(`${JSON.stringify(value, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/**
 * Syncs every file of a folder, and the folder itself, to disk. All syncs run at the same time, which costs little more
 * than one.
 */
export async function syncTree(directory: string): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true });
  const files = entries.map(async (entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return syncTree(path);
    const file = await open(path, 'r+');
    await file.sync().finally(() => file.close());
  });
  await Promise.all([...files, syncFolder(directory)]);
}

/** Makes renames within a folder durable. Windows cannot do this, and does not need it. */
export async function syncFolder(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(directory, 'r');
  await folder.sync().finally(() => folder.close());
}
