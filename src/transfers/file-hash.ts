import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

import { openRegularFile } from '../files/open-regular-file.js';

/** The hash that a file must have. */
export interface FileHash {
  /** `git-blob`: SHA-1 of "blob SIZE", a zero byte, and the content, as git names files. */
  readonly algorithm: 'sha256' | 'git-blob';
  /** In hexadecimal. */
  readonly value: string;
}

/** Whether a file exists with this size and hash. A link is none, because what it leads to may change. */
export async function hasHash(path: string, bytes: number, hash: FileHash, signal?: AbortSignal): Promise<boolean> {
  const file = await openRegularFile(path, 'refuse').catch(() => undefined);
  if (file === undefined) return false;
  try {
    if ((await file.stat()).size !== bytes) return false;
    return (await hashOf(file, bytes, hash.algorithm, signal)) === hash.value.toLowerCase();
  } finally {
    await file.close();
  }
}

/**
 * The SHA-256 of a file, in hexadecimal.
 *
 * @throws AG_FILE_REFUSED if it is no regular file, or the error of the operating system
 */
export async function fileSha256(path: string, signal?: AbortSignal): Promise<string> {
  const file = await openRegularFile(path);
  try {
    return await hashOf(file, (await file.stat()).size, 'sha256', signal);
  } finally {
    await file.close();
  }
}

async function hashOf(file: FileHandle, bytes: number, algorithm: FileHash['algorithm'], signal?: AbortSignal) {
  const hash = createHash(algorithm === 'sha256' ? 'sha256' : 'sha1');
  if (algorithm === 'git-blob') hash.update(`blob ${bytes}\0`);
  const options = { highWaterMark: 2 ** 20, autoClose: false, ...(signal && { signal }) };
  for await (const chunk of file.createReadStream(options)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
