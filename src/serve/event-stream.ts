import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, createGzip, type Gzip } from 'node:zlib';

/**
 * Server-sent events on one response (WHATWG HTML, 9.2), compressed if the browser accepts it. A slow reader gets only
 * the newest event of each kind: waiting events are replaced.
 */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #gzip: Gzip | undefined;
  /** By event name: creates the data when the event is sent. */
  readonly #waiting = new Map<string, () => string>();
  #isWriting = false;

  constructor(request: IncomingMessage, response: ServerResponse, headers: Readonly<Record<string, string>>) {
    const isCompressed = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
    response.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      ...(isCompressed && { 'content-encoding': 'gzip' }),
    });
    this.#response = response;
    if (isCompressed) {
      this.#gzip = createGzip({ level: constants.Z_BEST_SPEED });
      this.#gzip.pipe(response);
    }
    response.on('close', () => this.#gzip?.destroy());
    // Milliseconds before a browser reconnects.
    void this.#write('retry: 2000\n\n');
  }

  /** Sends an event. Its data are created after everything before it has been sent. */
  send(name: string, data: () => string): void {
    this.#waiting.set(name, data);
    void this.#drain();
  }

  end(): void {
    this.#waiting.clear();
    if (this.#gzip === undefined) this.#response.end();
    else this.#gzip.end();
  }

  async #drain(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    // Events that come meanwhile are visited, too.
    for (const [name, data] of this.#waiting) {
      this.#waiting.delete(name);
      await this.#write(`event: ${name}\ndata: ${data()}\n\n`);
    }
    this.#isWriting = false;
  }

  /** Resolves when the text has left this process, or when the reader has disconnected. */
  async #write(text: string): Promise<void> {
    const { destroyed, writableEnded } = this.#response;
    if (destroyed || writableEnded) return;
    const target = this.#gzip ?? this.#response;
    await new Promise<void>((resolve) => {
      // A closed response never calls the callback of `write`.
      this.#response.once('close', resolve);
      const done = () => {
        this.#response.off('close', resolve);
        resolve();
      };
      target.write(text, () => {
        if (this.#gzip === undefined) done();
        else this.#gzip.flush(constants.Z_SYNC_FLUSH, () => this.#afterDrain(done));
      });
    });
  }

  #afterDrain(done: () => void): void {
    if (this.#response.writableNeedDrain) this.#response.once('drain', done);
    else done();
  }
}
