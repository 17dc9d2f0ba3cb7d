import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';

import { AgentgymError } from '../../errors/agentgym-error.js';
import { isLoopback, isOwnName, isSame, refuseGuessable } from '../guard-request.js';
import { addressFor, listen } from '../listen.js';
import { answerRequest, type Served } from './answer-request.js';
import { ClientAnswer } from './client-answer.js';
import { ClientConnections, clientOf } from './client-connections.js';
import { FairShare } from './fair-share.js';
import type { OpenEndpoint } from './open-endpoint.js';
import { MOST_BYTES } from './read-body.js';
import { RequestError } from './request-error.js';
import { RequestReader } from './request-reader.js';

export interface ServePolicyRequest extends Omit<OpenEndpoint, 'dispose'> {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The key that every request must have. Absent: none is needed, which is allowed for this machine only. */
  readonly key?: string | undefined;
  /** A reader that takes nothing of what is written for so long loses its connection. Default: 30,000. */
  readonly readerMilliseconds?: number;
  /** Connections at the same time. Default: 1024. */
  readonly mostConnections?: number;
  /** Writes down what somebody should know. Default: nothing. */
  readonly log?: (message: string) => void;
}

export interface PolicyServer {
  /** The base address for clients; it ends in /v1. */
  readonly url: string;
  /** Takes no more requests, waits for those that are being answered, then ends the rest with an error. */
  close(milliseconds?: number): Promise<void>;
}

/** Texts that may be open; clients that have more than their share are told to come back. */
const MOST_OPEN = 1024;
/** Bytes of bodies that may be on their way, for all clients. */
const MOST_MEMORY = 8 * MOST_BYTES;
/** Open requests get so long to be answered when the server stops. */
const CLOSING_MILLISECONDS = 8_000;
/** After that, what was written gets so long to leave. */
const FAREWELL_MILLISECONDS = 1_500;

/** Connections that send nothing, or that send slowly, are closed. */
const limits = {
  maxHeaderSize: 16_384,
  headersTimeout: 5_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 500,
};

/**
 * Serves a policy model as OpenAI's API does: chat and text completions, streamed or not, and the list of models.
 *
 * @throws AgentgymError AG_SERVE_FAILED
 */
export async function servePolicy(request: ServePolicyRequest): Promise<PolicyServer> {
  const { adapters, endpoint: base, host, key, log = () => undefined } = request;
  const named = new Set<string>();
  refuseOpenServer(host, key);
  const served: Served = {
    base,
    adapters,
    reader: new RequestReader({ endpoints: () => [base, ...(adapters?.endpoints ?? [])], data: request.reader }),
    texts: new FairShare(MOST_OPEN),
    memory: new FairShare(MOST_MEMORY),
    created: Math.floor(Date.now() / 1000),
    ignored: (names) => {
      for (const name of names) {
        if (!named.has(name)) log(`Requests have \`${name}\`, which has no effect here.`);
        named.add(name);
      }
    },
  };
  const open = new Set<AbortController>();
  let isClosing = false;
  let closed = (): void => undefined;
  const server = createServer(limits, (incoming, response) => {
    const own = new AbortController();
    // Each text of a request listens to it.
    setMaxListeners(0, own.signal);
    open.add(own);
    connections.follow(incoming, response);
    response.on('close', () => {
      open.delete(own);
      own.abort(new Error('the client has disconnected'));
      if (isClosing && open.size === 0) closed();
    });
    const answer = new ClientAnswer(response, request.readerMilliseconds);
    const client = clientOf(incoming);
    const work = async (): Promise<void> => {
      refuse(incoming, request);
      if (isClosing) throw new RequestError(503, 'this server is stopping', { code: 'server_stopping' });
      const mark = (doing: 'resting' | 'working') => connections.mark(incoming, doing);
      await answerRequest(served, { incoming, answer, client, signal: own.signal, mark });
    };
    work().catch((error: unknown) => answer.fail(error));
  });
  const connections = new ClientConnections(server, request.mostConnections);
  // A client that has sent its request may close its side and still read.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  const port = await listen(server, request);
  return {
    url: `${addressFor(host, port)}/v1`,
    // It listens until all is answered, so that new requests are told why they are not.
    close: async (milliseconds = CLOSING_MILLISECONDS) => {
      isClosing = true;
      if (open.size > 0 && !(await isDoneIn(milliseconds, (done) => (closed = done)))) {
        const code = 'server_stopping';
        for (const own of open) own.abort(new RequestError(503, 'this server has stopped', { code }));
        await isDoneIn(FAREWELL_MILLISECONDS, (done) => (open.size === 0 ? done() : (closed = done)));
      }
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), FAREWELL_MILLISECONDS).unref();
      });
      await served.reader.dispose();
    },
  };
}

/** Whether something is done within some time. */
function isDoneIn(milliseconds: number, wait: (done: () => void) => void): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), milliseconds);
    wait(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

/** Throws RequestError if the request may not be answered. */
function refuse(incoming: IncomingMessage, { host, key }: ServePolicyRequest): void {
  // Browsers send it for pages of other sites. Programs do not.
  if (incoming.headers.origin !== undefined)
    throw new RequestError(403, 'this server does not answer requests from web pages');
  if (key === undefined) {
    if (isOwnName(incoming.headers.host, host)) return;
    throw new RequestError(403, 'this server does not serve that host name');
  }
  // The name of the scheme has no case (RFC 9110, 11.1).
  const [, given = ''] = /^Bearer +(.+)$/i.exec(incoming.headers.authorization ?? '') ?? [];
  if (!isSame(given, key)) throw new RequestError(401, 'the key is missing or wrong', { code: 'invalid_api_key' });
}

function refuseOpenServer(host: string, key: string | undefined): void {
  refuseGuessable('key', key, 'Set AGENTGYM_SERVE_KEY to 16 random characters or more.');
  if (key !== undefined || isLoopback(host)) return;
  throw new AgentgymError('AG_SERVE_FAILED', {
    message: `Other machines could use the model through ${host} without a key.`,
    hint: 'Set AGENTGYM_SERVE_KEY to 16 random characters or more; clients send it as their API key.',
  });
}
