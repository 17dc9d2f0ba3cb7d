import { AgentgymError } from '../errors/agentgym-error.js';
import { type Download, openTransfer } from './fetch-file.js';
import type { AnswerListener } from './tell-waits.js';
import { hostOf, retryTransfer } from './transfer-errors.js';

/**
 * Asks a server for the size and the version of a file, before it is downloaded.
 *
 * @throws AG_TRANSFER_FAILED, AG_TRANSFER_REFUSED, AG_TRANSFER_NOT_FOUND
 */
export async function remoteFile(
  url: string,
  { hear, signal }: { readonly signal: AbortSignal; readonly hear?: AnswerListener },
): Promise<Download> {
  return retryTransfer(signal, async () => {
    // One byte is asked for: some servers, and addresses with a signature, know no HEAD.
    const request = { signal, headers: { range: 'bytes=0-0' } };
    const { close, headers, status } = await openTransfer(url, request, { totalSeconds: 60 }, [200, 206], hear);
    close();
    return { url, ...readHead(url, status, headers) };
  });
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
  return { bytes, version };
}
