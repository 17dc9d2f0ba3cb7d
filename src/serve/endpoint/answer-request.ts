import type { IncomingMessage } from 'node:http';

import { AnswerDocuments, modelDocument } from './answer-documents.js';
import { parseBoundedJson } from './bounded-json.js';
import type { ClientAnswer } from './client-answer.js';
import { BODY_LIMITS, type EncodedChat, type EncodedCompletion } from './encode-request.js';
import type { FairShare } from './fair-share.js';
import type { Asking, Part, PolicyEndpoint } from './policy-endpoint.js';
import { readBody } from './read-body.js';
import { readLoadRequest, readUnloadRequest } from './read-request.js';
import { RequestError, shortened } from './request-error.js';
import type { RequestKind } from './reader-messages.js';
import type { RequestReader } from './request-reader.js';
import type { ServedAdapters } from './served-adapters.js';

/** What all requests of a server share. */
export interface Served {
  readonly base: PolicyEndpoint;
  readonly adapters: ServedAdapters | undefined;
  readonly reader: RequestReader;
  /** Texts that may be open. */
  readonly texts: FairShare;
  /** Bytes of bodies that are being received. */
  readonly memory: FairShare;
  /** When the server began, in seconds. */
  readonly created: number;
  /** Tells of members of requests that are ignored. */
  readonly ignored: (names: readonly string[]) => void;
}

/** A request and its answer. */
export interface Exchange {
  readonly incoming: IncomingMessage;
  readonly answer: ClientAnswer;
  readonly client: unknown;
  readonly signal: AbortSignal;
  /** Says what the connection does. */
  readonly mark: (doing: 'resting' | 'working') => void;
}

const textRoutes = new Map<string, RequestKind>([
  ['POST /v1/chat/completions', 'chat'],
  ['POST /v1/completions', 'completion'],
]);

/** @throws RequestError */
export async function answerRequest(served: Served, exchange: Exchange): Promise<void> {
  const { adapters, base, created, memory } = served;
  const { answer, client, incoming } = exchange;
  const route = routeOf(incoming);
  const endpoints = endpointsOf(served);
  if (route === 'GET /health' || route === 'GET /v1/health') return answer.json(200, { status: 'ok' });
  if (route === 'GET /v1/models') {
    return answer.json(200, { object: 'list', data: endpoints.map((one) => modelDocument(one, created)) });
  }
  const named = endpoints.find(({ name }) => route === `GET /v1/models/${encodeURIComponent(name)}`);
  if (named !== undefined) return answer.json(200, modelDocument(named, created));
  const body = () => readBody(incoming, client, memory);
  if (adapters !== undefined && route === 'POST /v1/load_lora_adapter') {
    const { lora_name: name, lora_path: path } = readLoadRequest(parseBoundedJson(await body(), BODY_LIMITS));
    if (name === base.name) {
      const message = `The lora adapter '${name}' has the name of the model that this server serves. Choose another one.`;
      throw new RequestError(400, message, { param: 'lora_name' });
    }
    exchange.mark('working');
    return answer.text(await adapters.load(name, path));
  }
  if (adapters !== undefined && route === 'POST /v1/unload_lora_adapter') {
    const { lora_name: name } = readUnloadRequest(parseBoundedJson(await body(), BODY_LIMITS));
    exchange.mark('working');
    return answer.text(await adapters.unload(name));
  }
  const kind = textRoutes.get(route);
  if (kind !== undefined) return answerTexts(served, exchange, await served.reader.read(kind, await body(), client));
  throw new RequestError(
    404,
    `${shortened(route)} does not exist. This server has /v1/chat/completions, /v1/completions and /v1/models.`,
  );
}

async function answerTexts(
  served: Served,
  exchange: Exchange,
  encoded: EncodedChat | EncodedCompletion,
): Promise<void> {
  const { answer, client, signal } = exchange;
  const { request } = encoded;
  const endpoint = endpointOf(served, encoded);
  const documents = new AnswerDocuments(encoded, endpoint);
  const write = (asking: Asking) =>
    encoded.kind === 'chat' ? endpoint.chat(encoded, asking) : endpoint.complete(encoded, asking);
  const prompts = encoded.kind === 'chat' ? 1 : encoded.prompts.length;
  await withTexts(served, exchange, request.n * prompts, encoded.ignored, async (rest) => {
    if (!request.stream) return answer.json(200, documents.whole(await write({ client, signal })));
    answer.beginStream();
    const show = (part: Part) => {
      for (const chunk of documents.ofPart(part)) answer.send(chunk);
      return answer.taken && rest(answer.taken);
    };
    for (const chunk of documents.ofEnd(await write({ client, signal, show }))) answer.send(chunk);
    answer.endStream();
  });
}

/**
 * Does some work with places for its texts. A stream whose reader is slow gives them back until it has read.
 *
 * @throws RequestError if there are no places for this client
 */
async function withTexts(
  { ignored, texts }: Served,
  { client, mark }: Exchange,
  count: number,
  names: readonly string[],
  work: (rest: (taken: Promise<void>) => Promise<void>) => Promise<void>,
): Promise<void> {
  if (!texts.take(client, count)) {
    throw new RequestError(429, 'too many requests are open', { code: 'rate_limit_exceeded', retryAfter: 1 });
  }
  ignored(names);
  mark('working');
  let resting = 0;
  const rest = async (taken: Promise<void>): Promise<void> => {
    if (resting === 0) {
      mark('resting');
      texts.giveBack(client, count);
    }
    resting += 1;
    await taken;
    resting -= 1;
    if (resting > 0) return;
    mark('working');
    texts.add(client, count);
  };
  try {
    await work(rest);
  } finally {
    if (resting === 0) texts.giveBack(client, count);
    // Whoever still waits for the reader finds the places given back.
    resting = Infinity;
  }
}

function endpointsOf({ adapters, base }: Served): readonly PolicyEndpoint[] {
  return [base, ...(adapters?.endpoints ?? [])];
}

/** @throws RequestError if the model was unloaded meanwhile */
function endpointOf(served: Served, { model }: { readonly model: string }): PolicyEndpoint {
  const found = endpointsOf(served).find(({ name }) => name === model);
  if (found !== undefined) return found;
  const message = `The model \`${model}\` does not exist any more.`;
  throw new RequestError(404, message, { code: 'model_not_found', param: 'model' });
}

/** Method and path of a request. */
function routeOf({ method = '', url = '' }: IncomingMessage): string {
  try {
    // A path that begins with two slashes is a path, not another server.
    const { pathname } = url.startsWith('/') ? new URL(`http://localhost${url}`) : new URL(url);
    decodeURIComponent(pathname);
    return `${method} ${pathname.replace(/\/+$/, '')}`;
  } catch {
    throw new RequestError(400, 'the path of the request is not valid');
  }
}
