import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';

import type { EngineSettings } from './engine-core.js';
import type { CoreArguments, CoreMethod, CoreResult, Engine } from './engine.js';
import type { FromWorker, ToWorker, WorkerStart } from './messages.js';

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Cores in worker threads. A run blocks its thread, but the calling thread stays free for environments, deadlines and
 * signals. The threads keep the process alive only while a call is in progress. If a thread dies, calls fail with its
 * error.
 */
export class WorkerEngine implements Engine {
  readonly cores: number;
  readonly #worker: Worker;
  /** One for each core. */
  readonly #ports: readonly (Worker | MessagePort)[];
  readonly #pending = new Map<number, Pending>();
  readonly #log: (message: string) => void;
  #count = 0;
  #failure: Error | undefined;

  constructor(settings: EngineSettings, cores: number, log: (message: string) => void) {
    this.cores = cores;
    this.#log = log;
    const channels = Array.from({ length: cores - 1 }, () => new MessageChannel());
    const siblings = channels.map(({ port2 }) => port2);
    const start: WorkerStart = { settings, siblings };
    this.#worker = new Worker(workerEntry(), { workerData: start, transferList: siblings, execArgv: [] });
    this.#ports = [this.#worker, ...channels.map(({ port1 }) => port1)];
    for (const port of this.#ports) {
      port.on('message', (message: FromWorker) => this.#receive(message));
      port.unref();
    }
    this.#worker.once('error', (error) => this.#fail(error));
    this.#worker.once('exit', (code) => this.#fail(new Error(`it ended with code ${code}`)));
  }

  call<Method extends CoreMethod>(
    core: number,
    method: Method,
    args: CoreArguments<Method>,
    signal?: AbortSignal,
  ): Promise<CoreResult<Method>> {
    if (this.#failure) return Promise.reject(this.#failure);
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    const id = this.#count++;
    const port = this.#ports[core]!;
    const abort = () => post(port, { kind: 'abort', id });
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
    });
    if (this.#pending.size === 1) for (const each of this.#ports) each.ref();
    signal?.addEventListener('abort', abort, { once: true });
    const message: ToWorker = { kind: 'call', id, method, args: method === 'generate' ? args.slice(0, 2) : args };
    // Frozen weights may be gigabytes.
    post(port, message, method === 'setFrozen' ? [(args[0] as Float32Array<ArrayBuffer>).buffer] : []);
    return answer
      .catch((error: unknown) => {
        // The original reason, not the worker's copy of it.
        throw signal?.aborted ? signal.reason : error;
      })
      .finally(() => signal?.removeEventListener('abort', abort)) as Promise<CoreResult<Method>>;
  }

  async dispose(): Promise<void> {
    this.#failure ??= new Error('the policy was disposed of');
    for (const { reject } of this.#pending.values()) reject(this.#failure);
    this.#pending.clear();
    for (const port of this.#ports.slice(1)) (port as MessagePort).close();
    await this.#worker.terminate();
  }

  #receive(message: FromWorker): void {
    if (message.kind === 'log') return this.#log(message.message);
    if (message.kind === 'failed') return this.#fail(message.error);
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (this.#pending.size === 0) for (const port of this.#ports) port.unref();
    if (message.kind === 'result') pending?.resolve(message.result);
    else pending?.reject(message.error);
  }

  #fail(cause: unknown): void {
    if (this.#failure) return;
    const reason = cause instanceof Error ? cause.message : String(cause);
    this.#failure = new Error(`a thread of the policy ended: ${reason}`, { cause });
    for (const { reject } of this.#pending.values()) reject(this.#failure);
    this.#pending.clear();
    for (const port of this.#ports.slice(1)) (port as MessagePort).close();
    void this.#worker.terminate();
  }
}

function post(port: Worker | MessagePort, message: ToWorker, moved: readonly ArrayBuffer[] = []): void {
  port.postMessage(message, moved);
}

/** The compiled worker: next to this file, or in `dist` if this file runs uncompiled. Throws if nothing is built. */
function workerEntry(): URL {
  const beside = new URL('./engine-worker.js', import.meta.url);
  const built = new URL('../../dist/worker/engine-worker.js', import.meta.url);
  const found = [beside, built].find((url) => existsSync(fileURLToPath(url)));
  if (!found) throw new Error('the worker of the policy is not compiled: run `npm run build` first');
  return found;
}
