import type { MessagePort } from 'node:worker_threads';

import { CoreThreads } from './core-threads.js';
import type { EngineSettings } from './engine-core.js';
import { movedArguments, type CoreArguments, type CoreMethod, type CoreResult, type Engine } from './engine.js';
import type { FromCore, ToCore } from './messages.js';

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
  readonly #threads: CoreThreads;
  readonly #pending = new Map<number, Pending>();
  readonly #log: (message: string) => void;
  #count = 0;
  #failure: Error | undefined;

  constructor(settings: EngineSettings, cores: number, log: (message: string) => void) {
    this.cores = cores;
    this.#log = log;
    this.#threads = new CoreThreads(settings, cores, (cause) => this.#fail(cause), log);
    for (const port of this.#threads.ports) {
      port.on('message', (message: FromCore) => this.#receive(message));
      port.unref();
    }
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
    const port = this.#threads.ports[core]!;
    const abort = () => post(port, { kind: 'abort', id });
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
    });
    if (this.#pending.size === 1) this.#threads.ref();
    signal?.addEventListener('abort', abort, { once: true });
    const message: ToCore = { kind: 'call', id, method, args: method === 'generate' ? args.slice(0, 2) : args };
    // Frozen weights may be gigabytes, and gradients come at every step.
    post(port, message, movedArguments(method, args));
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
    await this.#threads.end();
  }

  #receive(message: FromCore): void {
    if (message.kind === 'log') return this.#log(message.message);
    if (message.kind === 'failed') return this.#fail(message.error);
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    // The answer to a call that was given up must not let the process end before the threads have.
    if (this.#pending.size === 0 && this.#failure === undefined) this.#threads.unref();
    if (message.kind === 'result') pending?.resolve(message.result);
    else pending?.reject(message.error);
  }

  #fail(cause: unknown): void {
    if (this.#failure) return;
    const reason = cause instanceof Error ? cause.message : String(cause);
    this.#failure = new Error(`a thread of the policy ended: ${reason}`, { cause });
    for (const { reject } of this.#pending.values()) reject(this.#failure);
    this.#pending.clear();
    void this.#threads.end();
  }
}

function post(port: MessagePort, message: ToCore, moved: readonly ArrayBuffer[] = []): void {
  port.postMessage(message, moved);
}
