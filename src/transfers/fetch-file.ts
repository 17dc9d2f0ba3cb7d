import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { basename } from 'node:path';

import { AgentgymError } from '../errors/agentgym-error.js';
import { systemReason } from '../errors/system-error.js';
import { type OpenAnswer, openBounded } from './bounded-fetch.js';
import { type FileHash, hasHash } from './file-hash.js';
import type { AnswerListener } from './tell-waits.js';
import { busyFailure, hostOf, transferRefusal, transferError } from './transfer-errors.js';
import type { StreamLimits } from './wire-clock.js';
import { PassingFailure, withRetries } from './with-retries.js';

/** A file to download. */
export interface Download {
  readonly url: string;
  readonly bytes: number;
  /** Absent: the source lists none. */
  readonly hash?: FileHash;
  /**
   * What the server says of this version of the file, for a file without a hash: its strong ETag, or the time of its last
   * change. Absent: a file without a hash is not continued.
   */
  readonly version?: string | undefined;
  /** Sent with the request. A secret reaches only the host of `url`, not one to which it redirects. */
  readonly headers?: { readonly [name: string]: string };
}

/** The limits of a download, and who hears of it. */
export interface DownloadSettings {
  readonly signal: AbortSignal;
  /** Longest time in which next to nothing comes; default: 60. */
  readonly stallSeconds?: number;
  /** Called with the number of bytes that are there. */
  readonly onProgress?: (done: number) => void;
  /** Hears every answer. */
  readonly hear?: AnswerListener;
}

/** Bytes that must come in `stallSeconds`. */
const stallBytes = 2 ** 15;

/**
 * Downloads a file into an existing folder. A file with this hash that is there already is kept. An attempt that broke
 * off is continued, in this process or a later one: its bytes are in a file beside `path` that ends in `.incomplete`.
 * `path` itself appears only with the right size, and the right hash if one is listed. Without one, the server itself says
 * whether it still has the same version.
 *
 * @throws AgentgymError AG_TRANSFER_FAILED after repeated failures, AG_TRANSFER_DAMAGED for other content,
 * AG_TRANSFER_REFUSED, AG_TRANSFER_NOT_FOUND
 */
export async function fetchFile(
  download: Download,
  path: string,
  settings: DownloadSettings,
): Promise<'transferred' | 'present'> {
  const { bytes, hash, url, version = '' } = download;
  const { signal, onProgress } = settings;
  if (hash !== undefined && (await hasHash(path, bytes, hash, signal))) return 'present';
  // The name contains the hash, so that no attempt continues the bytes of another file.
  const key = hash?.value ?? createHash('sha256').update(`${url}\n${bytes}\n${version}`).digest('hex');
  const incomplete = `${path}.${key.slice(0, 16)}.incomplete`;
  // Bytes of an earlier attempt may be damaged. Then the second round begins without them.
  for (const isLast of [false, true]) {
    const found = await sizeOf(incomplete);
    await fill(download, incomplete, settings);
    onProgress?.(bytes);
    const isWhole =
      hash === undefined ? (await sizeOf(incomplete)) === bytes : await hasHash(incomplete, bytes, hash, signal);
    if (isWhole) {
      await rename(incomplete, path);
      return 'transferred';
    }
    await rm(incomplete, { force: true });
    if (isLast || found === 0) break;
  }
  throw new AgentgymError('AG_TRANSFER_DAMAGED', {
    message: `${basename(path)} from ${hostOf(url)} ${hash === undefined ? `does not have the announced ${bytes} bytes` : `does not have the hash ${hash.value} (${hash.algorithm})`}. Its content was removed.`,
    file: path,
  });
}

/** Continues the file until it has all bytes, or more than all. */
async function fill(download: Download, path: string, settings: DownloadSettings): Promise<void> {
  /** Most bytes that any attempt reached. A server without ranges begins anew each time. */
  let most = await sizeOf(path);
  try {
    await withRetries(settings.signal, async () => {
      try {
        await fillOnce(download, path, settings);
      } catch (error) {
        if (!(error instanceof PassingFailure)) throw error;
        const done = await sizeOf(path);
        const hasProgressed = done > most;
        most = Math.max(most, done);
        throw new PassingFailure(error.message, error.waitSeconds, hasProgressed);
      }
    });
  } catch (error) {
    if (!(error instanceof PassingFailure)) throw error;
    throw new AgentgymError('AG_TRANSFER_FAILED', {
      message: `${basename(path).replace(/\.\w+\.incomplete$/, '')} could not be downloaded: ${error.message}.`,
      cause: error,
    });
  }
}

async function fillOnce(download: Download, path: string, settings: DownloadSettings): Promise<void> {
  const { bytes, hash, version } = download;
  let done = await sizeOf(path);
  // Nothing says whether these bytes are of the same file.
  const isUnknown = hash === undefined && version === undefined;
  if (done > bytes || (isUnknown && done > 0)) await rm(path);
  else if (done === bytes && bytes > 0) return;
  if (done >= bytes || isUnknown) done = 0;
  const { body, close, status } = await request(download, done, settings);
  // A server that knows no ranges sends the whole file. One that has no more bytes has another file.
  if (status !== 206) done = 0;
  try {
    const { O_APPEND, O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY } = constants;
    const file = await open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | (done === 0 ? O_TRUNC : O_APPEND));
    try {
      if (status !== 416) {
        for await (const chunk of body) {
          await file.appendFile(chunk);
          done += chunk.length;
          settings.onProgress?.(Math.min(done, bytes));
          // A wrong file may be endless. Its hash is wrong already.
          if (done > bytes) break;
        }
      }
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    throw writeError(transferError(error), path);
  } finally {
    close();
  }
  if (done < bytes) throw new PassingFailure(`it ended after ${done} of ${bytes} bytes`);
}

async function request(
  { hash, headers, url, version }: Download,
  done: number,
  settings: DownloadSettings,
): Promise<OpenAnswer> {
  const { hear, signal, stallSeconds = 60 } = settings;
  // A server whose file has changed sends the whole file, if it is asked for the rest of a version.
  const unchanged = hash === undefined && version !== undefined ? { 'if-range': version } : {};
  const range: { readonly [name: string]: string } = done === 0 ? {} : { range: `bytes=${done}-`, ...unchanged };
  const limits = { totalSeconds: Infinity, mostBytes: Infinity, stallSeconds, stallBytes };
  // 416: it was asked for bytes behind the end.
  return openTransfer(url, { signal, headers: { ...headers, ...range } }, limits, [200, 206, 416], hear);
}

/**
 * Asks a server for bytes of a file, once.
 *
 * @throws PassingFailure, AG_TRANSFER_FAILED, AG_TRANSFER_REFUSED, AG_TRANSFER_NOT_FOUND
 */
export async function openTransfer(
  url: string,
  { headers, signal }: { readonly headers: { readonly [name: string]: string }; readonly signal: AbortSignal },
  limits: StreamLimits,
  accepted: readonly number[],
  hear?: AnswerListener,
): Promise<OpenAnswer> {
  // Compressed answers have other lengths than the file.
  const init = { signal, headers: { 'accept-encoding': 'identity', ...headers } };
  const answer = await openBounded(url, init, { ...limits, redirects: 'without-secrets' }).catch((error: unknown) => {
    throw transferError(error);
  });
  hear?.(answer);
  if (accepted.includes(answer.status)) return answer;
  answer.close();
  throw busyFailure(url, answer) ?? transferRefusal(url, answer.status);
}

const fullDisk = 'Free disk space, then run the same command again: it continues with the bytes that are there.';

/** What the disk says, with the file: the handle of a file does not know its name. */
function writeError(error: unknown, path: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined || error instanceof PassingFailure) return error;
  const isFull = code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG';
  return new AgentgymError('AG_FILE_FAILED', {
    message: `${path} cannot be written: ${systemReason(error)}.`,
    hint: isFull ? fullDisk : undefined,
    file: path,
    cause: error,
  });
}

/** Bytes of a file. What is no file of its own, such as a link that somebody planted, is removed. */
async function sizeOf(path: string): Promise<number> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isFile() === true) return found.size;
  if (found !== undefined) await rm(path, { recursive: true, force: true });
  return 0;
}
