import { HUB_URL, HubApiError } from '@huggingface/hub';

import { AgentgymError, isAgentgymError } from '../errors/agentgym-error.js';
import { interruption } from '../errors/interruption.js';
import { messageOf } from '../errors/message-of.js';
import { fileError } from '../errors/system-error.js';
import { boundedFetch } from '../transfers/bounded-fetch.js';
import { sizeOfBody } from '../transfers/send-request.js';
import { type AnswerListener, waitTeller } from '../transfers/tell-waits.js';
import { busyFailure, hostOf, retryTransfer, transferError } from '../transfers/transfer-errors.js';

/** A model hub, and the right to use it. */
export interface HubAccess {
  /** Without a slash at the end. */
  readonly endpoint: string;
  /** Never shown, and sent only to the host of `endpoint`. */
  readonly token?: string;
  readonly signal: AbortSignal;
  /** Hears every answer. */
  readonly hear: AnswerListener;
}

type FetchInput = Parameters<typeof fetch>[0];

const goOn = 'Run the same command again; a pull continues where it ended.';

/** Slowest upload that is not a stall, in bytes per second. */
const slowestUpload = 20_000;

/**
 * The hub that the environment names: HF_ENDPOINT and HF_TOKEN, as in all programs of the hub.
 *
 * @param tell says that the hub asks for a long wait
 */
export function hubAccess(
  environment: { readonly [name: string]: string | undefined },
  signal: AbortSignal,
  tell: (message: string) => void,
): HubAccess {
  const endpoint = (environment['HF_ENDPOINT'] || HUB_URL).replace(/\/+$/, '');
  const token = environment['HF_TOKEN']?.trim() || undefined;
  if (!/^https?:\/\/[^/]/.test(endpoint) || !URL.canParse(endpoint)) {
    throw new AgentgymError('AG_HUB_SETTING', { message: 'HF_ENDPOINT is not a URL that begins with https://.' });
  }
  if (token !== undefined && !/^hf_\S+$/.test(token)) {
    throw new AgentgymError('AG_HUB_SETTING', { message: 'HF_TOKEN is not a token of the hub: those begin with hf_.' });
  }
  return { endpoint, ...(token !== undefined && { token }), signal, hear: waitTeller(tell) };
}

/** Parameters that every function of the hub's library takes. */
export function libraryParameters(hub: HubAccess) {
  const { endpoint, token } = hub;
  return {
    hubUrl: endpoint,
    ...(token !== undefined && { accessToken: token }),
    fetch: (input: FetchInput, init?: RequestInit) => hubFetch(hub, input, init),
  };
}

/** A hub answered something that no hub answers. @param problem goes on the sentence */
export function hubFault(url: string, problem: string): AgentgymError {
  const { host, pathname } = new URL(url);
  return new AgentgymError('AG_TRANSFER_FAILED', {
    message: `${host} answered ${pathname} with ${problem}.`,
    hint: 'Check that HF_ENDPOINT is the address of a hub. If it is, the hub has a fault: run the same command again later.',
  });
}

/**
 * Calls the hub's library, and turns its errors into those of the table.
 *
 * @param subject the model, for messages
 * @throws AgentgymError AG_TRANSFER_REFUSED, AG_TRANSFER_NOT_FOUND, AG_TRANSFER_FAILED, AG_INTERRUPTED
 */
export async function callHub<Result>(hub: HubAccess, subject: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (hub.signal.aborted) throw interruption(hub.signal, goOn);
    throw hubError(hub, subject, error);
  }
}

function hubError({ endpoint, token }: HubAccess, subject: string, cause: unknown): Error {
  const place = hostOf(endpoint);
  const status = cause instanceof HubApiError ? cause.statusCode : undefined;
  const code = isAgentgymError(cause) ? cause.code : undefined;
  if (status === 401 || status === 403 || code === 'AG_TRANSFER_REFUSED') {
    const whose = token === undefined ? 'without a token (HF_TOKEN is not set)' : 'with the token in HF_TOKEN';
    return new AgentgymError('AG_TRANSFER_REFUSED', {
      message: `${place} refuses ${subject} ${whose}: it is private, has conditions to accept, or does not exist.`,
      cause,
    });
  }
  if (status === 404 || code === 'AG_TRANSFER_NOT_FOUND') {
    return new AgentgymError('AG_TRANSFER_NOT_FOUND', { message: `${place} has no ${subject}.`, cause });
  }
  if (code !== undefined) return cause as Error;
  const file = fileError(cause);
  if (file !== undefined) return file;
  // What the library says when it reads a member that is not there is of no use to anybody.
  const isFault = cause instanceof TypeError || cause instanceof SyntaxError || cause instanceof RangeError;
  const answered = status === undefined ? messageOf(cause) : `it answered with status ${status}`;
  const said = isFault ? 'it answered something that no hub answers' : answered;
  return new AgentgymError('AG_TRANSFER_FAILED', { message: `${place}: ${subject} failed: ${said}.`, cause });
}

/**
 * A fetch for the hub, which repeats what a busy server refuses. Only the hub itself gets the token, although a hub may
 * name the next page, or a place for uploads, on another server.
 */
export async function hubFetch(hub: HubAccess, input: FetchInput, init: RequestInit = {}): Promise<Response> {
  const url = input instanceof Request ? input.url : String(input);
  const [own, target] = [new URL(hub.endpoint), URL.canParse(url) ? new URL(url) : undefined];
  if (own.protocol === 'https:' && target?.protocol === 'http:') {
    throw new AgentgymError('AG_TRANSFER_FAILED', {
      message: `${own.host} names the address ${target.origin}, which is not encrypted.`,
    });
  }
  const headers = new Headers(init.headers);
  if (target?.origin !== own.origin) headers.delete('authorization');
  const signal = init.signal ? AbortSignal.any([hub.signal, init.signal]) : hub.signal;
  const limits = {
    totalSeconds: 60 + (sizeOfBody(init.body) ?? 0) / slowestUpload,
    redirects: 'without-secrets' as const,
    ...(hub.token !== undefined && { secrets: [hub.token] }),
  };
  return retryTransfer(signal, async () => {
    const response = await boundedFetch(input, { ...init, headers, signal }, limits).catch((error: unknown) => {
      throw transferError(error);
    });
    hub.hear(response);
    const busy = busyFailure(url, response);
    if (busy !== undefined) throw busy;
    return response;
  });
}
