import { HUB_URL, HubApiError } from '@huggingface/hub';

import { AgentgymError, isAgentgymError } from '../errors/agentgym-error.js';
import { interruption } from '../errors/interruption.js';
import { messageOf } from '../errors/message-of.js';
import { hostOf, openRequest } from '../transfers/open-request.js';
import { PassingFailure, withRetries } from '../transfers/with-retries.js';

/** A model hub, and the right to use it. */
export interface HubAccess {
  /** Without a slash at the end. */
  readonly endpoint: string;
  /** Never shown, and sent only to the host of `endpoint`. */
  readonly token?: string;
  readonly signal: AbortSignal;
}

type FetchInput = Parameters<typeof fetch>[0];

const goOn = 'Run the same command again; a pull continues where it ended.';

/** Slowest upload that is not a stall, in bytes per second. */
const slowestUpload = 20_000;

/** The hub that the environment names: HF_ENDPOINT and HF_TOKEN, as in all programs of the hub. */
export function hubAccess(
  environment: { readonly [name: string]: string | undefined },
  signal: AbortSignal,
): HubAccess {
  const endpoint = (environment['HF_ENDPOINT'] || HUB_URL).replace(/\/+$/, '');
  const token = environment['HF_TOKEN']?.trim() || undefined;
  if (!/^https?:\/\/[^/]/.test(endpoint) || !URL.canParse(endpoint)) {
    throw new AgentgymError('AG_HUB_SETTING', { message: 'HF_ENDPOINT is not a URL that begins with https://.' });
  }
  if (token !== undefined && !/^hf_\S+$/.test(token)) {
    throw new AgentgymError('AG_HUB_SETTING', { message: 'HF_TOKEN is not a token of the hub: those begin with hf_.' });
  }
  return { endpoint, ...(token !== undefined && { token }), signal };
}

/** Parameters that every function of the hub's library takes. */
export function libraryParameters({ endpoint, token, signal }: HubAccess) {
  return {
    hubUrl: endpoint,
    ...(token !== undefined && { accessToken: token }),
    fetch: (input: FetchInput, init?: RequestInit) => patientFetch(input, init, signal),
  };
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
  const said = status === undefined ? messageOf(cause) : `it answered with status ${status}`;
  return new AgentgymError('AG_TRANSFER_FAILED', { message: `${place}: ${subject} failed: ${said}.`, cause });
}

/** `fetch` with a deadline for every wait, which repeats what a busy server refuses. */
async function patientFetch(input: FetchInput, init: RequestInit = {}, signal: AbortSignal): Promise<Response> {
  const url = input instanceof Request ? input.url : String(input);
  const signals = init.signal ? AbortSignal.any([signal, init.signal]) : signal;
  const stallSeconds = 60 + sizeOf(init.body) / slowestUpload;
  try {
    return await withRetries(signals, async () => {
      const { response, chunks } = await openRequest(url, init, { signal: signals, stallSeconds, keepsErrors: true });
      // Answers of the hub are small. They are read here, where a cut connection is repeated.
      const parts: Uint8Array[] = [];
      for await (const chunk of chunks()) parts.push(chunk);
      const { status, headers } = response;
      const answer = new Response(status === 204 || status === 304 ? null : Buffer.concat(parts), { status, headers });
      Object.defineProperty(answer, 'url', { value: response.url });
      return answer;
    });
  } catch (error) {
    if (error instanceof PassingFailure) {
      throw new AgentgymError('AG_TRANSFER_FAILED', { message: `${error.message}.`, cause: error });
    }
    throw error;
  }
}

function sizeOf(body: RequestInit['body']): number {
  if (body instanceof Blob) return body.size;
  if (typeof body === 'string') return body.length;
  return body instanceof ArrayBuffer || ArrayBuffer.isView(body) ? body.byteLength : 0;
}
