import { existsSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { waitForProcessLock } from '../processes/process-lock.js';
import { fileSha256 } from '../transfers/file-hash.js';

/** Changes with what the conversion writes, so that folders of older versions are made anew. */
const FORMAT = 'gguf-1';
/** In the name of a folder that is not whole. */
const PARTIAL = '.partial-';

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
  const lock = await waitForProcessLock(parent, signal ?? new AbortController().signal);
  try {
    // Another process may have been faster.
    if (existsSync(folder)) return folder;
    // A folder takes five times the bytes of its file. Whoever holds the lock was not killed, so these are rests.
    for (const name of (await readdir(parent)).filter((one) => one.includes(PARTIAL))) {
      await rm(join(parent, name), { recursive: true, force: true });
    }
    const partial = await mkdtemp(`${folder}${PARTIAL}`);
    try {
      await convert(partial);
      await rename(partial, folder);
    } finally {
      await rm(partial, { recursive: true, force: true });
    }
  } finally {
    lock.release();
  }
  return folder;
}
