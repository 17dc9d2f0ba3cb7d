import { parentPort, workerData } from 'node:worker_threads';

import { SharedMarks, type FromWorker, type SentError, type ToWorker, type WorkerStart } from './worker-messages.js';

/** What a handler is handed beside its payload. */
interface ServedCall {
  /** Aborted when the caller's is. */
  readonly signal: AbortSignal;
}

/** What a thread answers calls with; a promise is waited for, while others are answered. */
interface CallHandlers {
  readonly [method: string]: (payload: never, call: ServedCall) => unknown;
}

/** Milliseconds for which answers are collected while further calls are being answered. */
const collectFor = 1;

/** What `WorkerChannel` was given as `data`. For its worker. */
export function channelData(): unknown {
  return (workerData as WorkerStart).data;
}

/**
 * Answers the calls of a `WorkerChannel` in the thread that it started: in the order in which they were made, one handler after the other.
 * Answers go back together, at the end of the tick or after a millisecond. What the thread prints goes to the channel's owner.
 */
export function serveCalls(handlers: CallHandlers): void {
  const port = parentPort;
  if (port === null) throw new Error('calls are served in a worker thread');
  const marks = new SharedMarks((workerData as WorkerStart).shared);
  const open = new Map<number, LazySignal>();
  let answers: FromWorker[] = [];
  let flushed = performance.now();

  const flush = (): void => {
    if (answers.length === 0) return;
    const batch = answers;
    answers = [];
    try {
      port.postMessage(batch);
    } catch {
      for (const answer of batch) postAlone(answer);
    }
  };
  const postAlone = (answer: FromWorker): void => {
    try {
      port.postMessage([answer]);
    } catch (error) {
      const message = `what it gives cannot leave its thread: ${describe(error).message}`;
      port.postMessage([[answer[0], answer[1], undefined, { name: 'DataCloneError', message }]]);
    }
  };
  const add = (answer: FromWorker): void => {
    open.delete(answer[0]);
    if (answers.push(answer) === 1) process.nextTick(flush);
  };
  const fail = (id: number, began: number, error: unknown): void =>
    add([id, performance.now() - began, undefined, describe(error)]);

  const serve = (id: number, method: string, payload: unknown): void => {
    const call = new LazySignal();
    open.set(id, call);
    const began = performance.now();
    marks.begin(id, began);
    marks.running = id;
    try {
      const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
      if (handler === undefined) throw new Error(`there is no handler for ${method}`);
      const value = handler(payload as never, call);
      if (isThenable(value)) {
        value.then(
          (given) => add([id, performance.now() - began, given]),
          (error: unknown) => fail(id, began, error),
        );
      } else add([id, performance.now() - began, value]);
    } catch (error) {
      fail(id, began, error);
    } finally {
      marks.running = 0;
    }
  };

  // Not through the streams of a thread, which wait for its event loop, and keep the process alive where anybody reads them.
  redirect((text) => port.postMessage([[0, 0, text]] satisfies FromWorker[]));
  port.on('message', (batch: readonly ToWorker[]) => {
    flushed = performance.now();
    for (const item of batch) {
      if (item.length === 1) open.get(item[0])?.abort();
      else serve(...item);
      const now = performance.now();
      if (now - flushed < collectFor) continue;
      flushed = now;
      flush();
    }
  });
}

/** Gives what this thread writes to its standard output and error to a function. */
function redirect(print: (text: string) => void): void {
  const write = (chunk: Uint8Array | string, encoding?: unknown, callback?: unknown): boolean => {
    print(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'));
    const done = typeof encoding === 'function' ? encoding : callback;
    if (typeof done === 'function') process.nextTick(done);
    return true;
  };
  process.stdout.write = write;
  process.stderr.write = write;
}

/** A signal that is made when somebody asks for it: few calls do. */
class LazySignal implements ServedCall {
  #controller: AbortController | undefined;

  get signal(): AbortSignal {
    return (this.#controller ??= new AbortController()).signal;
  }

  abort(): void {
    (this.#controller ??= new AbortController()).abort();
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';
}

function describe(error: unknown): SentError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { name, message, stack, code } = error as Error & { code?: unknown };
  return {
    name,
    message,
    ...(stack === undefined ? {} : { stack }),
    ...(typeof code === 'string' ? { code } : {}),
  };
}
