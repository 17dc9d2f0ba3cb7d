import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

/** The paths of all files below a folder, relative to it, with slashes, ascending. Links are not followed. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map(({ name, parentPath }) => relative(folder, join(parentPath, name)).split(sep).join('/'))
    .sort();
}
