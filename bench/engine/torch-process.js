// The other side: a Python process that sleeps until it gets a request.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../peer/serve.py', import.meta.url));

export class TorchProcess {
  #child;
  #lines;

  /** Starts a process with that many threads. `hello` is its first message. */
  static async start(python, threads) {
    const peer = new TorchProcess();
    // Threads that spin while they wait would take time from the other side.
    const env = { ...process.env, OMP_WAIT_POLICY: 'passive', KMP_BLOCKTIME: '0', OMP_NUM_THREADS: String(threads) };
    peer.#child = spawn(python, ['-W', 'ignore', script, String(threads)], { stdio: ['pipe', 'pipe', 'inherit'], env });
    peer.#lines = createInterface({ input: peer.#child.stdout })[Symbol.asyncIterator]();
    peer.hello = await peer.#answer();
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
    if (done) throw new Error('the PyTorch process ended; its complaint stands above');
    return JSON.parse(value);
  }
}
