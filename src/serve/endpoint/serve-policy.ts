import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

import { AgentgymError } from '../../errors/agentgym-error.js';
import { messageOf } from '../../errors/message-of.js';
import { isLoopback, isOwnName, isSame } from '../guard-request.js';
import { addressFor, listen } from '../listen.js';
import {
  answerHead,
  callChunks,
  chatChunk,
  chatAnswer,
  closingChunk,
  completionAnswer,
  modelDocument,
  openingChunk,
  textChunk,
  usageChunk,
} from './answer-documents.js';
import type { Part, PolicyEndpoint } from './policy-endpoint.js';
import { readChatRequest, readCompletionRequest, readLoadRequest, readUnloadRequest } from './read-request.js';
import { RequestError } from './request-error.js';
import type { ServedAdapters } from './served-adapters.js';

export interface ServePolicyRequest {
  readonly endpoint: PolicyEndpoint;
  /** Adapters that clients may load beside it. Absent: none. */
  readonly adapters?: ServedAdapters;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The key that every request must have. Absent: none is needed, which is allowed for this machine only. */
  readonly key?: string;
}

export interface PolicyServer {
  /** The base address for clients; it ends in /v1. */
  readonly url: string;
  /** Takes no more requests, waits for those that are being answered, then ends the rest. */
  close(milliseconds?: number): Promise<void>;
}

/** Bytes of the largest body. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Texts that may be open; further requests are told to come back. */
const MOST_OPEN = 1024;
/** Open requests get so long to be answered when the server stops. */
const CLOSING_MILLISECONDS = 10_000;

/**
 * Serves a policy model as OpenAI's API does: chat and text completions, streamed or not, and the list of models.
 *
 * @throws AgentgymError AG_SERVE_FAILED
 */
export async function servePolicy(request: ServePolicyRequest): Promise<PolicyServer> {
  const { adapters, endpoint, host, key } = request;
  refuseOpenServer(host, key);
  const created = Math.floor(Date.now() / 1000);
  const open = new Set<AbortController>();
  let isClosing = false;
  const limits = { maxHeaderSize: 16_384, headersTimeout: 5_000, requestTimeout: 60_000 };
  const server = createServer(limits, (incoming, response) => {
    const own = new AbortController();
    open.add(own);
    response.on('close', () => {
      open.delete(own);
      own.abort(new Error('the client is gone'));
    });
    const work = async (): Promise<void> => {
      refuse(incoming, request);
      if (isClosing) throw new RequestError(503, 'this server is stopping');
      await answer({ endpoint, adapters, created, incoming, response, signal: own.signal });
    };
    work().catch((error: unknown) => fail(response, error));
  });
  const port = await listen(server, request);
  return {
    url: `${addressFor(host, port)}/v1`,
    close: async (milliseconds = CLOSING_MILLISECONDS) => {
      isClosing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const timer = setTimeout(() => {
        for (const own of open) own.abort(new RequestError(503, 'this server has stopped'));
        setTimeout(() => server.closeAllConnections(), 500).unref();
      }, milliseconds);
      await closed;
      clearTimeout(timer);
    },
  };
}

interface Exchange {
  readonly endpoint: PolicyEndpoint;
  readonly adapters: ServedAdapters | undefined;
  readonly created: number;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly signal: AbortSignal;
}

async function answer(exchange: Exchange): Promise<void> {
  const { adapters, created, endpoint: base, incoming, response, signal } = exchange;
  const { pathname } = new URL(incoming.url ?? '/', 'http://localhost');
  const route = `${incoming.method ?? ''} ${pathname.replace(/\/+$/, '')}`;
  if (route === 'GET /health' || route === 'GET /v1/health') return json(response, 200, { status: 'ok' });
  if (route === 'GET /v1/models') {
    const data = [base, ...(adapters?.endpoints ?? [])].map((one) => modelDocument(one, created));
    return json(response, 200, { object: 'list', data });
  }
  if (route === `GET /v1/models/${encodeURIComponent(base.name)}`) {
    return json(response, 200, modelDocument(base, created));
  }
  if (adapters !== undefined && route === 'POST /v1/load_lora_adapter') {
    const { lora_name: name, lora_path: path } = readLoadRequest(await readBody(incoming));
    return text(response, await adapters.load(name, path));
  }
  if (adapters !== undefined && route === 'POST /v1/unload_lora_adapter') {
    return text(response, await adapters.unload(readUnloadRequest(await readBody(incoming)).lora_name));
  }
  if (route !== 'POST /v1/chat/completions' && route !== 'POST /v1/completions') {
    throw new RequestError(
      404,
      `There is nothing at ${route}. This server has /v1/chat/completions, /v1/completions and /v1/models.`,
    );
  }
  const open = [base, ...(adapters?.endpoints ?? [])].reduce((sum, one) => sum + one.open, 0);
  if (open >= MOST_OPEN)
    throw new RequestError(429, 'too many requests are open', { code: 'rate_limit_exceeded', retryAfter: 1 });
  const body = await readBody(incoming);
  if (route === 'POST /v1/chat/completions') {
    const request = readChatRequest(body);
    const endpoint = adapters?.find(request.model) ?? base;
    const head = answerHead('chat', endpoint.name);
    if (!request.stream)
      return json(response, 200, chatAnswer(head, request, await endpoint.chat(request, signal), endpoint));
    const events = new Events(response);
    const opened = new Set<number>();
    const show = (part: Part) => {
      if (!opened.has(part.index)) events.send(openingChunk(head, part.index));
      opened.add(part.index);
      if (part.text !== '' || part.tokens.length > 0) events.send(chatChunk(head, request, part, endpoint));
      for (const chunk of callChunks(head, part.index, part.calls ?? [])) events.send(chunk);
    };
    const whole = await endpoint.chat(request, signal, show);
    for (const choice of whole.choices) events.send(closingChunk(head, 'chat', choice));
    if (request.stream_options?.include_usage) events.send(usageChunk(head, 'chat', whole));
    return events.end();
  }
  const request = readCompletionRequest(body);
  const endpoint = adapters?.find(request.model) ?? base;
  const head = answerHead('completion', endpoint.name);
  if (!request.stream)
    return json(response, 200, completionAnswer(head, request, await endpoint.complete(request, signal), endpoint));
  const events = new Events(response);
  const show = (part: Part) => events.send(textChunk(head, request, part, endpoint));
  const whole = await endpoint.complete(request, signal, show);
  for (const choice of whole.choices) events.send(closingChunk(head, 'completion', choice));
  if (request.stream_options?.include_usage) events.send(usageChunk(head, 'completion', whole));
  return events.end();
}

/** A stream of server-sent events. It begins with the first event, so that an error before it has a status of its own. */
class Events {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  send(document: object): void {
    if (!this.#response.headersSent) {
      this.#response.writeHead(200, { ...headers, 'content-type': 'text/event-stream; charset=utf-8' });
    }
    this.#response.write(`data: ${JSON.stringify(document)}\n\n`);
  }

  end(): void {
    this.#response.end('data: [DONE]\n\n');
  }
}

/** Throws RequestError if the request may not be answered. */
function refuse(incoming: IncomingMessage, { host, key }: ServePolicyRequest): void {
  // Browsers send it for pages of other sites. Programs do not.
  if (incoming.headers.origin !== undefined) throw new RequestError(403, 'this server does not answer to web pages');
  if (key === undefined) {
    if (isOwnName(incoming.headers.host, host)) return;
    throw new RequestError(403, 'this server does not answer to that name');
  }
  const [, given = ''] = /^Bearer (.+)$/.exec(incoming.headers.authorization ?? '') ?? [];
  if (!isSame(given, key)) throw new RequestError(401, 'the key is missing or wrong', { code: 'invalid_api_key' });
}

async function readBody(incoming: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of incoming as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MOST_BYTES) throw new RequestError(413, `the body has more than ${MOST_BYTES} bytes`);
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8')) as unknown;
  } catch {
    throw new RequestError(400, 'the body is not JSON');
  }
}

const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;

function text(response: ServerResponse, words: string): void {
  const length = String(Buffer.byteLength(words));
  response.writeHead(200, { ...headers, 'content-type': 'text/plain; charset=utf-8', 'content-length': length });
  response.end(words);
}

function json(
  response: ServerResponse,
  status: number,
  document: object,
  more: { readonly [name: string]: string } = {},
): void {
  const text = JSON.stringify(document);
  const length = String(Buffer.byteLength(text));
  response.writeHead(status, { ...headers, 'content-type': 'application/json', 'content-length': length, ...more });
  response.end(text);
}

function fail(response: ServerResponse, error: unknown): void {
  if (response.destroyed) return;
  const known = error instanceof RequestError ? error : new RequestError(500, messageOf(error));
  // An error after the first event is one more event, and the stream has no proper end.
  if (response.headersSent) {
    response.write(`data: ${JSON.stringify(known.body)}\n\n`);
    response.destroy();
    return;
  }
  const { retryAfter } = known.details;
  // A body that was not read whole would be taken for the next request.
  json(response, known.status, known.body, {
    connection: 'close',
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
  });
}

function refuseOpenServer(host: string, key: string | undefined): void {
  if (key !== undefined && key.length < 16) {
    throw new AgentgymError('AG_SERVE_FAILED', {
      message: `The key is ${key.length} characters long, so it can be guessed.`,
      hint: 'Set AGENTGYM_SERVE_KEY to 16 random characters or more.',
    });
  }
  if (key !== undefined || isLoopback(host)) return;
  throw new AgentgymError('AG_SERVE_FAILED', {
    message: `Other machines could use the model through ${host} without a key.`,
    hint: 'Set AGENTGYM_SERVE_KEY to 16 random characters or more; clients send it as their API key.',
  });
}
