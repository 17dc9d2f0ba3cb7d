import { join } from 'node:path';

import { readTextFile } from '../files/read-whole-file.js';

/** Bytes of the longest package.json: real ones have some kilobytes. */
const longest = 4 * 2 ** 20;

/**
 * The content of a folder's package.json.
 *
 * @throws AG_FILE_REFUSED if it is no regular file or too long; Error of the file system with its `code`; SyntaxError
 */
export async function readPackageJson(folder: string): Promise<unknown> {
  return JSON.parse(await readTextFile(join(folder, 'package.json'), longest)) as unknown;
}
