import { AgentgymError } from '../errors/agentgym-error.js';
import { openBounded } from './bounded-fetch.js';
import type { Download } from './fetch-file.js';
import type { AnswerListener } from './tell-waits.js';
import { busyFailure, finalError, hostOf, transferError, transferRefusal } from './transfer-errors.js';
import { withRetries } from './with-retries.js';

/**
 * Asks a server for the size and the version of a file, before it is downloaded.
 *
 * @throws AG_TRANSFER_FAILED, AG_TRANSFER_REFUSED, AG_TRANSFER_NOT_FOUND
 */
export async function remoteFile(
  url: string,
  { hear, signal }: { readonly signal: AbortSignal; readonly hear?: AnswerListener },
): Promise<Download> {
  // One byte is asked for: some servers, and addresses with a signature, know no HEAD.
  const headers = { 'accept-encoding': 'identity', range: 'bytes=0-0' };
  try {
    return await withRetries(signal, async () => {
      let answer: Awaited<ReturnType<typeof openBounded>>;
      try {
        answer = await openBounded(url, { signal, headers }, { totalSeconds: 60, redirects: 'without-secrets' });
      } catch (error) {
        throw transferError(error);
      }
      answer.close();
      hear?.(answer);
      if (answer.status !== 200 && answer.status !== 206) {
        throw busyFailure(url, answer) ?? transferRefusal(url, answer.status);
      }
      return { url, ...readHead(url, answer.status, answer.headers) };
    });
  } catch (error) {
    throw finalError(error);
  }
}

function readHead(url: string, status: number, headers: Headers): Pick<Download, 'bytes' | 'version'> {
  const whole =
    status === 206 ? /\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1] : headers.get('content-length');
  const bytes = Number(whole ?? NaN);
  if (!Number.isSafeInteger(bytes) || bytes < 0) {
    throw new AgentgymError('AG_TRANSFER_FAILED', {
      message: `${hostOf(url)} does not say how many bytes the file has.`,
      hint: 'Download it with another program, and pull the file.',
    });
  }
  const tag = headers.get('etag') ?? '';
  const version = /^"/.test(tag) ? tag : (headers.get('last-modified') ?? undefined);
  return { bytes, ...(version !== undefined && { version }) };
}
