import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MessageChannel, SHARE_ENV, Worker, type MessagePort } from 'node:worker_threads';

import type { EngineSettings } from './engine-core.js';
import type { FromStarter, StartThreads } from './messages.js';

/** Starts the threads of all engines. It stays until the process ends: see `thread-starter.ts`. */
let starter: Worker | undefined;

/** The threads of an engine, one for each core. They do not keep the process alive. */
export class CoreThreads {
  /** One for each core. */
  readonly ports: readonly MessagePort[];
  readonly #control: MessagePort;
  readonly #starter: Worker;
  readonly #onFailure: (cause: unknown) => void;
  readonly #ended: Promise<void>;

  /** @param onFailure called when a thread dies, maybe several times */
  constructor(
    settings: EngineSettings,
    cores: number,
    onFailure: (cause: unknown) => void,
    log: (message: string) => void,
  ) {
    starter ??= startStarter();
    const channels = Array.from({ length: cores }, () => new MessageChannel());
    const { port1: control, port2: remote } = new MessageChannel();
    const theirs = channels.map(({ port2 }) => port2);
    this.ports = channels.map(({ port1 }) => port1);
    this.#control = control;
    this.#starter = starter;
    this.#onFailure = onFailure;
    this.#ended = new Promise((resolve) => {
      control.once('close', resolve);
      control.on('message', (message: FromStarter) => {
        if (message.kind === 'log') log(message.message);
        else if (message.kind === 'failed') onFailure(message.error);
        else resolve();
      });
    });
    starter.on('error', onFailure);
    const request: StartThreads = { settings, ports: theirs, control: remote };
    starter.postMessage(request, [...theirs, remote]);
    this.unref();
  }

  /** While it is called for, the process stays alive. */
  ref(): void {
    for (const port of [...this.ports, this.#control]) port.ref();
  }

  unref(): void {
    for (const port of [...this.ports, this.#control]) port.unref();
  }

  async end(): Promise<void> {
    this.#starter.off('error', this.#onFailure);
    this.#control.ref();
    this.#control.postMessage('end');
    await this.#ended;
    for (const port of [...this.ports, this.#control]) port.close();
  }
}

function startStarter(): Worker {
  const worker = new Worker(starterEntry(), { execArgv: [], env: SHARE_ENV });
  // Each engine listens.
  worker.setMaxListeners(Infinity);
  worker.once('error', () => (starter = undefined));
  worker.unref();
  return worker;
}

/** The compiled thread: next to this file, or in `dist` if this file runs uncompiled. Throws if nothing is built. */
function starterEntry(): URL {
  const beside = new URL('./thread-starter.js', import.meta.url);
  const built = new URL('../../dist/worker/thread-starter.js', import.meta.url);
  const found = [beside, built].find((url) => existsSync(fileURLToPath(url)));
  if (!found) throw new Error('the worker of the policy is not compiled: run `npm run build` first');
  return found;
}
