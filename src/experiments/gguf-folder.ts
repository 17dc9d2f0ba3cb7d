import { existsSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { fileSha256 } from '../transfers/file-hash.js';

/** Changes with what the conversion writes, so that folders of older versions are made anew. */
const FORMAT = 'gguf-1';

/** Whether a path names a GGUF file. */
export function isGgufFile(path: string): boolean {
  return path.toLowerCase().endsWith('.gguf') && statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true;
}

/**
 * The folder of the model in a GGUF file. It is made once for each content of a file, in the cache, and appears when it is whole.
 *
 * @param convert writes the model into an existing empty folder
 * @throws AG_FILE_REFUSED, the errors of the operating system, and those of `convert`
 */
export async function ggufFolder(
  file: string,
  { cacheDirectory, signal }: { readonly cacheDirectory: string; readonly signal?: AbortSignal },
  convert: (directory: string) => Promise<void>,
): Promise<string> {
  const parent = join(cacheDirectory, 'models', FORMAT);
  const folder = join(parent, await fileSha256(file, signal));
  if (existsSync(folder)) return folder;
  await mkdir(parent, { recursive: true });
  const partial = await mkdtemp(`${folder}.partial-`);
  try {
    await convert(partial);
    // Another process may have been faster; its folder is the same.
    await rename(partial, folder).catch((error: NodeJS.ErrnoException) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return folder;
}
