import { Worker } from 'node:worker_threads';

import type { EnvironmentPhase } from '../../contracts/environment.js';
import type { Log } from '../../contracts/host.js';
import { messageOf } from '../../errors/message-of.js';
import { DeadlineError } from '../../errors/within-deadline.js';
import type { TakeLimit } from '../shared-limits.js';
import { readError } from './crossing-error.js';
import { EndDeath } from './end-death.js';
import { ThreadMarks } from './thread-marks.js';
import type { FromThread, ThreadAnswer, ThreadRequest, ToThread } from './thread-messages.js';
import { ThreadTurns } from './thread-turns.js';
import { type EndMethod, phaseOf, type WorldEnd } from './world-end.js';

/** How to start a thread. */
export interface ThreadSettings {
  /** The file that the thread runs. It calls `serveWorld` with its port and with the memory in its data. */
  readonly program: URL;
  /** The additional data for the program. */
  readonly data: object;
  readonly milliseconds: { readonly [phase in EnvironmentPhase]: number };
  readonly log: Log;
  /** Takes turns of shared limits for it. */
  readonly take: TakeLimit;
  /** Limit of the JavaScript heap in MB; beyond it the thread ends. */
  readonly heapMegabytes?: number;
}

/** Milliseconds between checks whether a call holds its thread for too long. */
const lookEvery = 25;
/** Milliseconds that a call may still hold its thread after all calls were aborted. */
const graceAfterAbort = 500;
const usualHeapMegabytes = 2048;

interface Pending {
  readonly method: EndMethod;
  readonly instance: number;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** A thread with one world, as seen from the main thread. */
export class ThreadEnd implements WorldEnd {
  readonly #worker: Worker;
  readonly #marks = new ThreadMarks();
  readonly #settings: ThreadSettings;
  readonly #pending = new Map<number, Pending>();
  /** Instance and method of calls that may still hold the thread after their answer. */
  readonly #answered = new Map<number, Pick<Pending, 'method' | 'instance'>>();
  #requests: ThreadRequest[] = [];
  #next = 1;
  #named = 0;
  #look: NodeJS.Timeout | undefined;
  readonly #turns: ThreadTurns;
  #death: EndDeath | undefined;
  /** The reason if this class ended the thread. */
  #hung: Error | undefined;
  #failure: (Error & { readonly code?: string }) | undefined;
  #abortedAt: number | undefined;
  /** Calls and milliseconds of each phase so far. */
  times: Float64Array = new Float64Array();
  instances = 0;

  constructor(settings: ThreadSettings) {
    this.#settings = settings;
    this.#turns = new ThreadTurns(settings.take, (message) => this.#worker.postMessage(message));
    this.#worker = new Worker(settings.program, {
      workerData: { ...settings.data, memory: this.#marks.memory },
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: settings.heapMegabytes ?? usualHeapMegabytes },
    });
    // Output of plugins must not mix with the single document of --json.
    this.#worker.stdout.on('data', (text: Buffer) => process.stderr.write(text));
    this.#worker.stderr.on('data', (text: Buffer) => process.stderr.write(text));
    this.#worker.on('message', (message: FromThread) => this.#take(message));
    this.#worker.on('error', (error) => (this.#failure ??= error));
    this.#worker.on('exit', (code) => this.#die(code));
  }

  get death(): EndDeath | undefined {
    return this.#death;
  }

  call<T>(method: EndMethod, instance: number, ...values: readonly unknown[]): Promise<T> {
    if (this.#death !== undefined) return Promise.reject(this.#death);
    const id = this.#next++;
    if (this.#requests.push({ id, method, instance, values }) === 1) setImmediate(() => this.#send());
    this.#look ??= setInterval(() => this.#lookForHanging(), lookEvery);
    return new Promise((resolve, reject) => this.#pending.set(id, { method, instance, resolve, reject }));
  }

  nameInstance(): number {
    return ++this.#named;
  }

  /** Aborts the signals of all its calls. If a call holds the thread and cannot receive this, the thread is ended. */
  abort(): void {
    this.#abortedAt ??= performance.now();
    this.#worker.postMessage({ abort: true } satisfies ToThread);
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #send(): void {
    this.#worker.postMessage({ requests: this.#requests } satisfies ToThread);
    this.#requests = [];
  }

  #take(message: FromThread): void {
    if ('log' in message) {
      this.#settings.log[message.log](message.message);
      return;
    }
    if ('take' in message || 'endTurn' in message) return void this.#turns.hear(message);
    this.times = message.times;
    for (const answer of message.answers) this.#settle(answer);
    if (this.#pending.size === 0) this.#stopLooking();
  }

  #settle({ id, value, error }: ThreadAnswer): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    const { method, instance } = pending;
    this.#answered.set(id, { method, instance });
    if (this.#answered.size > 4096) this.#answered.delete(this.#answered.keys().next().value as number);
    if (error === undefined) pending.resolve(value as never);
    else pending.reject(readError(error));
  }

  /** Ends the thread if a call holds it for too long; there is no other way to stop such a call. */
  #lookForHanging(): void {
    const { id, milliseconds } = this.#marks.holding();
    if (id === 0) return;
    const { method = 'step' } = this.#pending.get(id) ?? this.#answered.get(id) ?? {};
    const phase = phaseOf(method);
    const limit = this.#settings.milliseconds[phase];
    const sinceAbort = this.#abortedAt === undefined ? 0 : performance.now() - this.#abortedAt;
    if (milliseconds > limit) this.#hung = new DeadlineError(`${method} took longer than ${limit / 1000} s`);
    else if (Math.min(milliseconds, sinceAbort) <= graceAfterAbort) return;
    else this.#hung = new Error(`${method} held its thread when it was interrupted`);
    this.#stopLooking();
    void this.#worker.terminate();
  }

  #stopLooking(): void {
    clearInterval(this.#look);
    this.#look = undefined;
  }

  #die(code: number): void {
    this.#stopLooking();
    this.#turns.end();
    const id = this.#marks.last;
    const call = this.#pending.get(id) ?? this.#answered.get(id);
    const failure = this.#hung ?? new Error(`it ended its thread: ${this.#describeEnd(code)}`);
    this.#death = new EndDeath(failure, call?.instance);
    for (const { reject } of this.#pending.values()) reject(this.#death);
    this.#pending.clear();
  }

  #describeEnd(code: number): string {
    const failure = this.#failure;
    if (failure === undefined) return `process.exit(${code})`;
    if (failure.code === 'ERR_WORKER_OUT_OF_MEMORY') return 'out of memory';
    return `an error that nobody caught: ${messageOf(failure)}`;
  }
}
