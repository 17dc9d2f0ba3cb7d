import { AgentgymError } from '../errors/agentgym-error.js';
import { readRetryAfter } from './retry-after.js';
import { FailedRequest } from './failed-request.js';
import { PassingFailure, withRetries } from './with-retries.js';

/** Whether a server with this status is busy, and may answer later. */
export function isBusy(status: number): boolean {
  return [408, 425, 429, 500, 502, 503, 504].includes(status);
}

/** The host of an address, for messages. Queries may contain signatures, and are never shown. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** A failure of the wire as one that is tried again, or as an error of the table. Other errors stay as they are. */
export function transferError(error: unknown): unknown {
  if (!(error instanceof FailedRequest)) return error;
  // An immediate repetition is useless if the host is not there.
  if (error.mayPass && error.kind !== 'unreachable') return new PassingFailure(error.message);
  return new AgentgymError('AG_TRANSFER_FAILED', { message: `${error.message}.`, cause: error });
}

/** Like `withRetries`. A failure that was tried again in vain becomes AG_TRANSFER_FAILED. */
export async function retryTransfer<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  return withRetries(signal, work).catch((error: unknown) => {
    if (!(error instanceof PassingFailure)) throw error;
    throw new AgentgymError('AG_TRANSFER_FAILED', { message: `${error.message}.`, cause: error });
  });
}

/** The failure of a server that is busy; undefined for any other answer. */
export function busyFailure(url: string, { headers, status }: Pick<Response, 'headers' | 'status'>) {
  if (!isBusy(status)) return undefined;
  return new PassingFailure(`${placeOf(url)} answered with status ${status}`, readRetryAfter(headers));
}

/** The error of an answer that is none: AG_TRANSFER_REFUSED (401, 403), AG_TRANSFER_NOT_FOUND (404, 410) or AG_TRANSFER_FAILED. */
export function transferRefusal(url: string, status: number): AgentgymError {
  const message = `${placeOf(url)} answered with status ${status}.`;
  if (status === 401 || status === 403) return new AgentgymError('AG_TRANSFER_REFUSED', { message });
  if (status === 404 || status === 410) return new AgentgymError('AG_TRANSFER_NOT_FOUND', { message });
  return new AgentgymError('AG_TRANSFER_FAILED', { message });
}

function placeOf(url: string): string {
  return `${hostOf(url)}${URL.canParse(url) ? new URL(url).pathname : ''}`;
}
