import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';

/**
 * Writes a file under a temporary name beside `path`, and renames it. So readers see the whole file or none, and two
 * processes may write the same file at once: the later one wins.
 */
export async function replaceFile(path: string, write: (temporary: FileHandle) => Promise<void>): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const file = await open(temporary, 'wx');
    try {
      await write(file);
    } finally {
      await file.close();
    }
    await rename(temporary, path).catch((error: unknown) => {
      // Windows does not replace a file that another process reads. That process has written the same file.
      if (process.platform !== 'win32' || !existsSync(path)) throw error;
    });
  } finally {
    await rm(temporary, { force: true });
  }
}
