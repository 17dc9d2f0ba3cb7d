import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and those above it that are missing. Node's own way of it reports a folder below the one that was
 * refused as missing, and never ends where a file system refuses without saying why, as /proc does.
 *
 * @returns the uppermost folder that was made; undefined where all of them were there
 */
export async function makeFolder(path: string): Promise<string | undefined> {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.unshift(at);
  for (const folder of missing) {
    await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
      // Somebody else made it meanwhile.
      if (error.code !== 'EEXIST') throw error;
    });
  }
  return missing[0];
}
