import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Creates a folder and its missing parents. If a folder is refused, Node's own function reports the folders below it as
 * missing. It never ends on file systems that refuse without a reason, such as /proc.
 *
 * @returns the uppermost created folder; undefined if all existed
 */
export async function makeFolder(path: string): Promise<string | undefined> {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.unshift(at);
  for (const folder of missing) {
    await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
      // Another process created it meanwhile.
      if (error.code !== 'EEXIST') throw error;
    });
  }
  return missing[0];
}
