import { open, rename, rm, stat } from 'node:fs/promises';
import { basename } from 'node:path';

import { AgentgymError } from '../errors/agentgym-error.js';
import { type FileHash, hasHash } from './file-hash.js';
import { hostOf, openRequest, type RequestLimits } from './open-request.js';
import { PassingFailure, withRetries } from './with-retries.js';

/** A file to download. */
export interface Download {
  readonly url: string;
  readonly bytes: number;
  readonly hash: FileHash;
  /** Sent with the request. An `authorization` reaches only the host of `url`, not one to which it redirects. */
  readonly headers?: { readonly [name: string]: string };
}

/** The limits of a download, and who hears of it. */
export interface DownloadSettings extends RequestLimits {
  /** Called with the number of bytes that are there. */
  readonly onProgress?: (done: number) => void;
}

/**
 * Downloads a file into an existing folder. A file with this hash that is there already is kept. An attempt that broke
 * off is continued, in this process or a later one: its bytes are in a file beside `path` that ends in `.incomplete`.
 * `path` itself appears only with the right size and hash.
 *
 * @throws AgentgymError AG_TRANSFER_FAILED after repeated failures, AG_TRANSFER_DAMAGED for other content,
 * AG_TRANSFER_REFUSED, AG_TRANSFER_NOT_FOUND
 */
export async function fetchFile(
  download: Download,
  path: string,
  settings: DownloadSettings,
): Promise<'transferred' | 'present'> {
  const { bytes, hash, url } = download;
  const { signal, onProgress } = settings;
  if (await hasHash(path, bytes, hash, signal)) return 'present';
  // The name contains the hash, so that no attempt continues the bytes of another file.
  const incomplete = `${path}.${hash.value.slice(0, 16)}.incomplete`;
  // Bytes of an earlier attempt may be damaged. Then the second round begins without them.
  for (const isLast of [false, true]) {
    const found = await sizeOf(incomplete);
    await fill(download, incomplete, settings);
    onProgress?.(bytes);
    if (await hasHash(incomplete, bytes, hash, signal)) {
      await rename(incomplete, path);
      return 'transferred';
    }
    await rm(incomplete, { force: true });
    if (isLast || found === 0) break;
  }
  throw new AgentgymError('AG_TRANSFER_DAMAGED', {
    message: `${basename(path)} from ${hostOf(url)} does not have the hash ${hash.value} (${hash.algorithm}). Its content was removed.`,
    file: path,
  });
}

/** Continues the file until it has all bytes, or more than all. */
async function fill(download: Download, path: string, settings: DownloadSettings): Promise<void> {
  try {
    await withRetries(settings.signal, () => fillOnce(download, path, settings));
  } catch (error) {
    if (!(error instanceof PassingFailure)) throw error;
    throw new AgentgymError('AG_TRANSFER_FAILED', {
      message: `${basename(path).replace(/\.\w+\.incomplete$/, '')} could not be downloaded: ${error.message}.`,
      cause: error,
    });
  }
}

async function fillOnce(download: Download, path: string, settings: DownloadSettings): Promise<void> {
  const { url, bytes, headers = {} } = download;
  let done = await sizeOf(path);
  if (done > bytes) await rm(path);
  else if (done === bytes && bytes > 0) return;
  if (done >= bytes) done = 0;
  const range: { range?: string } = done === 0 ? {} : { range: `bytes=${done}-` };
  // Compressed answers have other lengths than the file.
  const init = { headers: { 'accept-encoding': 'identity', ...headers, ...range } };
  const { response, chunks } = await openRequest(url, init, settings);
  // A server that knows no ranges sends the whole file. One that has no more bytes has another file.
  if (response.status !== 206) done = 0;
  const begun = done;
  const file = await open(path, done === 0 ? 'w' : 'a');
  try {
    if (response.status !== 416) {
      for await (const chunk of chunks()) {
        await file.appendFile(chunk);
        done += chunk.length;
        settings.onProgress?.(Math.min(done, bytes));
        // A wrong file may be endless. Its hash is wrong already.
        if (done > bytes) break;
      }
    }
    await file.sync();
  } catch (error) {
    if (!(error instanceof PassingFailure)) throw error;
    throw new PassingFailure(error.message, error.waitSeconds, done > begun);
  } finally {
    await file.close();
  }
  if (done < bytes) throw new PassingFailure(`it ended after ${done} of ${bytes} bytes`, undefined, done > begun);
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
