import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';

/** The hash that a file must have. */
export interface FileHash {
  /** `git-blob`: SHA-1 of "blob SIZE", a zero byte, and the content, as git names files. */
  readonly algorithm: 'sha256' | 'git-blob';
  /** In hexadecimal. */
  readonly value: string;
}

/** Whether a file exists with this size and hash. A link is none, because what it leads to may change. */
export async function hasHash(path: string, bytes: number, hash: FileHash, signal?: AbortSignal): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isFile() !== true || found.size !== bytes) return false;
  return (await hashOf(path, bytes, hash.algorithm, signal)) === hash.value.toLowerCase();
}

async function hashOf(path: string, bytes: number, algorithm: FileHash['algorithm'], signal?: AbortSignal) {
  const hash = createHash(algorithm === 'sha256' ? 'sha256' : 'sha1');
  if (algorithm === 'git-blob') hash.update(`blob ${bytes}\0`);
  const options = { highWaterMark: 2 ** 20, ...(signal && { signal }) };
  for await (const chunk of createReadStream(path, options)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
