import { AgentgymError } from '../errors/agentgym-error.js';
import { messageOf } from '../errors/message-of.js';
import { PassingFailure } from './with-retries.js';

/** A running request. */
export interface OpenRequest {
  readonly response: Response;
  /** The bytes of the answer as they come. Throws a `PassingFailure` if the connection is cut or gives no byte in time. */
  readonly chunks: () => AsyncIterable<Uint8Array>;
}

/** Limits of a request. */
export interface RequestLimits {
  readonly signal: AbortSignal;
  /** Longest time without any byte from the server; default: 60. */
  readonly stallSeconds?: number;
  /** The caller reads answers with an error, except those of a server that is busy. */
  readonly keepsErrors?: boolean;
}

/** The host is not there, so that an immediate repetition is useless. */
const unreachableCodes = ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EACCES'];
const passingStatus = [408, 425, 429, 500, 502, 503, 504];

/**
 * Sends a request and waits for the head of the answer. `fetch` follows redirects, and sends an `authorization` header
 * only to the first host.
 *
 * @throws PassingFailure; AgentgymError AG_TRANSFER_FAILED if the host cannot be reached, AG_TRANSFER_REFUSED (401, 403),
 * AG_TRANSFER_NOT_FOUND (404)
 */
export async function openRequest(url: string, init: RequestInit, limits: RequestLimits): Promise<OpenRequest> {
  const { signal, stallSeconds = 60, keepsErrors = false } = limits;
  const stall = new AbortController();
  const late = () => stall.abort(new PassingFailure(`${hostOf(url)} sent nothing for ${stallSeconds} s`));
  let timer = setTimeout(late, 1000 * stallSeconds);
  const failure = (error: unknown): unknown => {
    clearTimeout(timer);
    if (signal.aborted) return signal.reason;
    return stall.signal.aborted ? stall.signal.reason : failureOf(url, error);
  };
  let response: Response;
  try {
    response = await fetch(url, { ...init, signal: AbortSignal.any([signal, stall.signal]) });
  } catch (error) {
    throw failure(error);
  }
  const refusal = await refusalOf(url, response, keepsErrors);
  if (refusal !== undefined) {
    clearTimeout(timer);
    throw refusal;
  }
  return {
    response,
    async *chunks() {
      try {
        for await (const chunk of response.body ?? []) {
          clearTimeout(timer);
          yield chunk as Uint8Array;
          timer = setTimeout(late, 1000 * stallSeconds);
        }
      } catch (error) {
        throw failure(error);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** The host of an address, for messages. Queries may contain signatures, and are never shown. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

function failureOf(url: string, error: unknown): Error {
  const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
  const reason = code ?? messageOf(error);
  if (!unreachableCodes.includes(code ?? ''))
    return new PassingFailure(`the connection to ${hostOf(url)} broke (${reason})`);
  return new AgentgymError('AG_TRANSFER_FAILED', {
    message: `${hostOf(url)} cannot be reached (${reason}).`,
    cause: error,
  });
}

/** The error of an answer that is none; its body is discarded. */
async function refusalOf(url: string, response: Response, keepsErrors: boolean): Promise<Error | undefined> {
  const { status } = response;
  // 416: the caller asked for bytes behind the end, and decides.
  if (response.ok || status === 416 || (keepsErrors && !passingStatus.includes(status))) return undefined;
  await response.body?.cancel().catch(() => undefined);
  const place = `${hostOf(url)}${URL.canParse(url) ? new URL(url).pathname : ''}`;
  const said = `${place} answered with status ${status}`;
  if (passingStatus.includes(status)) return new PassingFailure(said, waitOf(response));
  if (status === 401 || status === 403) return new AgentgymError('AG_TRANSFER_REFUSED', { message: `${said}.` });
  if (status === 404 || status === 410) return new AgentgymError('AG_TRANSFER_NOT_FOUND', { message: `${said}.` });
  return new AgentgymError('AG_TRANSFER_FAILED', { message: `${said}.` });
}

function waitOf(response: Response): number | undefined {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}
