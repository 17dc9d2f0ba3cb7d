// A process of a measurement that answers lines of JSON and sleeps between them, so that sides never compete: PyTorch in
// Python, llama.cpp or our own training in Node.js.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { UsageError } from './usage-error.js';

export class PeerProcess {
  #child;
  #lines;
  #ended;

  /**
   * Starts `bench/peer/<script>` with these arguments and further environment variables. `hello` is its first message.
   * @param command an interpreter of Python or JavaScript
   */
  static async start(command, script, parameters = [], variables = {}) {
    const peer = new PeerProcess();
    const path = fileURLToPath(new URL(`../peer/${script}`, import.meta.url));
    const flags = script.endsWith('.py') ? ['-W', 'ignore'] : [];
    peer.#child = spawn(command, [...flags, path, ...parameters], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...variables },
    });
    peer.#ended = new Promise((resolve) => peer.#child.once('close', resolve).once('error', resolve));
    // A process that has ended says so by its answer that does not come.
    peer.#child.stdin.on('error', () => undefined);
    peer.#lines = createInterface({ input: peer.#child.stdout })[Symbol.asyncIterator]();
    peer.hello = await peer.#answer();
    if (peer.hello.problem !== undefined) throw new UsageError(peer.hello.problem);
    return peer;
  }

  async ask(request) {
    this.#child.stdin.write(`${JSON.stringify(request)}\n`);
    return this.#answer();
  }

  /** Returns a promise of its end. */
  stop() {
    this.#child.stdin.end();
    return this.#ended;
  }

  get pid() {
    return this.#child.pid;
  }

  async #answer() {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('a process of the measurement ended; its complaint stands above');
    return JSON.parse(value);
  }
}
