// The other side of a measurement: a Python process that answers lines of JSON and sleeps between them, so the two
// sides never compete.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { UsageError } from './usage-error.js';

export class PeerProcess {
  #child;
  #lines;

  /** Starts `bench/peer/<script>` with these arguments and further environment variables. `hello` is its first message. */
  static async start(python, script, parameters = [], variables = {}) {
    const peer = new PeerProcess();
    const path = fileURLToPath(new URL(`../peer/${script}`, import.meta.url));
    peer.#child = spawn(python, ['-W', 'ignore', path, ...parameters], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...variables },
    });
    peer.#lines = createInterface({ input: peer.#child.stdout })[Symbol.asyncIterator]();
    peer.hello = await peer.#answer();
    if (peer.hello.problem !== undefined) throw new UsageError(peer.hello.problem);
    return peer;
  }

  async ask(request) {
    this.#child.stdin.write(`${JSON.stringify(request)}\n`);
    return this.#answer();
  }

  stop() {
    this.#child.stdin.end();
  }

  get pid() {
    return this.#child.pid;
  }

  async #answer() {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('the Python process ended; its complaint stands above');
    return JSON.parse(value);
  }
}
