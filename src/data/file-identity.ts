// The SHA-256 of a file without reading it whole each time. A record in the cache says which hash a file had, and how it
// looked: size, times, inode, and a hash of blocks from all over the file. A file that looks the same has the same hash.
// Times alone would do, but not every network file system keeps them. Blocks alone would miss a small change between them.
import { createHash } from 'node:crypto';
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';

import type { FileStamp, OpenedFile } from './opened-file.js';
import { replaceFile } from './replace-file.js';

const pieceBytes = 2 ** 22;
const sampleBlocks = 16;
const sampleBytes = 4096;
/** A file that is written to just after it was read may have the same times. */
const clockMilliseconds = 2000;

interface IdentityRecord {
  readonly formatVersion: 1;
  readonly seen: FileStamp & { readonly sample: string };
  /** Milliseconds since 1970, before the file was read. */
  readonly readAt: number;
  readonly sha256: string;
}

/**
 * The SHA-256 of the whole content, in hexadecimal. Reads the file only if it was not read before, or looks different.
 *
 * @param folder where records are kept; it exists
 * @throws AG_DATA_CHANGED if the file is written to meanwhile, or the reason of the signal
 */
export async function fileIdentity(file: OpenedFile, folder: string, signal: AbortSignal): Promise<string> {
  const path = createHash('sha256')
    .update(await realpath(file.path))
    .digest('hex');
  const recordPath = join(folder, `${path.slice(0, 32)}.json`);
  const seen = { ...file.stamp, sample: await sampleOf(file) };
  const known = await readRecord(recordPath);
  if (known !== undefined && isSettled(known) && JSON.stringify(known.seen) === JSON.stringify(seen)) {
    return known.sha256;
  }
  const readAt = Date.now();
  const hash = createHash('sha256');
  for (let start = 0; start < file.bytes; start += pieceBytes) {
    signal.throwIfAborted();
    hash.update(await file.read(start, Math.min(start + pieceBytes, file.bytes)));
  }
  const record: IdentityRecord = { formatVersion: 1, seen, readAt, sha256: hash.digest('hex') };
  await replaceFile(recordPath, (temporary) => temporary.writeFile(JSON.stringify(record)));
  return record.sha256;
}

/** Whether the file was old when it was read, so that a later change has other times. */
function isSettled({ seen, readAt }: IdentityRecord): boolean {
  const newest = Math.max(Number(seen.modified), Number(seen.changed)) / 1e6;
  return newest + clockMilliseconds < readAt;
}

/** A hash of the first and the last block, and of blocks at equal distances between them. */
async function sampleOf(file: OpenedFile): Promise<string> {
  const hash = createHash('sha256');
  const last = Math.max(file.bytes - sampleBytes, 0);
  for (let block = 0; block < sampleBlocks; block += 1) {
    const start = Math.floor((last * block) / (sampleBlocks - 1));
    hash.update(await file.read(start, Math.min(start + sampleBytes, file.bytes)));
  }
  return hash.digest('hex');
}

/** The record; undefined if there is none that this version can read. */
async function readRecord(path: string): Promise<IdentityRecord | undefined> {
  try {
    const record = JSON.parse(await readFile(path, 'utf8')) as IdentityRecord;
    return record.formatVersion === 1 ? record : undefined;
  } catch {
    return undefined;
  }
}
