import type { ServerResponse } from 'node:http';

import { messageOf } from '../../errors/message-of.js';
import { RequestError } from './request-error.js';

/** After the end of what a client sends, it is probed this often whether it is still there. */
const PROBE_MILLISECONDS = 2000;

const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;
const jsonHeaders = { ...headers, 'content-type': 'application/json' };
const streamHeaders = { ...headers, 'content-type': 'text/event-stream; charset=utf-8' };

/**
 * The answer to one request: a document, or a stream of server-sent events. A stream begins with its first event, so that an
 * error before it has a status of its own. What is written waits for the reader, at most for some time.
 */
export class ClientAnswer {
  readonly #response: ServerResponse;
  readonly #milliseconds: number;
  #isStream = false;
  #drained: Promise<void> | undefined;

  /** @param milliseconds for which a reader may take nothing of what is written, before its connection is closed */
  constructor(response: ServerResponse, milliseconds = 30_000) {
    this.#response = response;
    this.#milliseconds = milliseconds;
    this.#probeWhenHalfClosed();
  }

  /** Says that events follow. */
  beginStream(): void {
    this.#isStream = true;
  }

  /** Sends an event. */
  send(document: object): void {
    const response = this.#response;
    if (response.destroyed) return;
    if (!response.headersSent) response.writeHead(200, streamHeaders);
    response.write(eventOf(document));
  }

  /** Undefined if the reader takes events as they come; else settled when it has taken them, or is gone. */
  get taken(): Promise<void> | undefined {
    const response = this.#response;
    if (response.destroyed || !response.writableNeedDrain) return undefined;
    this.#drained ??= new Promise((resolve) => {
      this.#waitForReader(true);
      const done = (): void => {
        response.off('drain', done).off('close', done);
        this.#drained = undefined;
        this.#waitForReader(false);
        resolve();
      };
      response.on('drain', done).on('close', done);
    });
    return this.#drained;
  }

  /** Ends a stream that is whole. */
  endStream(): void {
    this.#end('data: [DONE]\n\n');
  }

  json(status: number, document: object, more: { readonly [name: string]: string } = {}): void {
    this.#whole(status, JSON.stringify(document), { ...jsonHeaders, ...more });
  }

  text(words: string): void {
    this.#whole(200, words, { ...headers, 'content-type': 'text/plain; charset=utf-8' });
  }

  #whole(status: number, text: string, described: { readonly [name: string]: string }): void {
    const length = String(Buffer.byteLength(text));
    if (!this.#response.headersSent) this.#response.writeHead(status, { ...described, 'content-length': length });
    this.#end(text);
  }

  /** An error after the first event is the last event, and the stream has no `[DONE]`. */
  fail(error: unknown): void {
    if (this.#response.destroyed || this.#response.writableEnded) return;
    const known = error instanceof RequestError ? error : new RequestError(500, messageOf(error));
    if (this.#isStream && this.#response.headersSent) return this.#end(eventOf(known.body));
    const { retryAfter } = known.details;
    // The rest of a body that was not read whole is dropped by Node.js.
    this.json(known.status, known.body, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) });
  }

  #end(text: string): void {
    this.#response.end(text);
    if (!this.#response.writableFinished) this.#waitForReader(true);
  }

  /** The socket counts only time in which nothing of what waits is taken, and is then destroyed. */
  #waitForReader(isWaiting: boolean): void {
    const { socket } = this.#response;
    // A socket that waits for its next request has a time limit of its own.
    if (socket === null || socket.destroyed) return;
    socket.setTimeout(isWaiting ? this.#milliseconds : 0);
  }

  /**
   * A client may close its side after the request and still read. One that is gone looks the same until something is written. So
   * the head of the answer is sent, and then white space (before a document) or a comment (in a stream), at intervals.
   */
  #probeWhenHalfClosed(): void {
    const response = this.#response;
    const { socket } = response;
    if (socket === null) return;
    const begin = (): void => {
      const timer = setInterval(() => {
        if (response.writableEnded || response.writableNeedDrain) return;
        if (!response.headersSent) response.writeHead(200, this.#isStream ? streamHeaders : jsonHeaders);
        response.write(this.#isStream ? ':\n\n' : '\n');
      }, PROBE_MILLISECONDS);
      response.on('close', () => clearInterval(timer));
    };
    if (socket.readableEnded) return begin();
    socket.once('end', begin);
    response.on('close', () => socket.off('end', begin));
  }
}

function eventOf(document: object): string {
  return `data: ${JSON.stringify(document)}\n\n`;
}
