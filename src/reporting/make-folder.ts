import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Creates a folder and its missing parents. Node's own function reports a folder below a refused one as missing, and
 * never ends on file systems that refuse without a reason, such as /proc.
 *
 * @returns the uppermost created folder; undefined if all existed
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
