import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A package.json has some kilobytes. */
const LONGEST_MEBIBYTES = 4;

/**
 * The content of a folder's package.json. Refuses what is not a file, because a pipe would be waited for without end,
 * and what is too long for a package.json.
 *
 * @throws Error of the file system with its `code`; SyntaxError; Error with the reason
 */
export async function readPackageJson(folder: string): Promise<unknown> {
  const file = join(folder, 'package.json');
  const found = await stat(file);
  if (!found.isFile()) throw new Error(`${file} is not a regular file`);
  if (found.size > LONGEST_MEBIBYTES * 2 ** 20) throw new Error(`${file} is longer than ${LONGEST_MEBIBYTES} MiB`);
  return JSON.parse(await readFile(file, 'utf8')) as unknown;
}
