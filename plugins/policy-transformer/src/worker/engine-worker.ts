/**
 * The thread of one core. The first worker starts the others, because denormal numbers must count as zero. This is a
 * setting of a thread; ONNX Runtime makes it only for the first thread of a process, and threads inherit it from the
 * thread that starts them.
 */
import { parentPort, Worker, workerData, type MessagePort } from 'node:worker_threads';

import { CallQueue } from './call-queue.js';
import { EngineCore } from './engine-core.js';
import { callCore } from './engine.js';
import type { FromWorker, ToWorker, WorkerStart } from './messages.js';

const { settings, siblings, port = parentPort } = workerData as WorkerStart;
if (port) await serve(port);

async function serve(port: MessagePort): Promise<void> {
  const send = (message: FromWorker) => port.postMessage(message);
  try {
    const core = await EngineCore.create(settings, (message) => send({ kind: 'log', message }));
    for (const sibling of siblings) startSibling(sibling, (error) => send({ kind: 'failed', error }));
    answer(core, port, send);
  } catch (error) {
    send({ kind: 'failed', error });
  }
}

function startSibling(sibling: MessagePort, fail: (error: unknown) => void): void {
  const start: WorkerStart = { settings, siblings: [], port: sibling };
  const worker = new Worker(new URL(import.meta.url), { workerData: start, transferList: [sibling], execArgv: [] });
  worker.once('error', fail);
  worker.once('exit', (code) => fail(new Error(`the thread ended with code ${code}`)));
}

function answer(core: EngineCore, port: MessagePort, send: (message: FromWorker) => void): void {
  const queue = new CallQueue();
  const aborts = new Map<number, AbortController>();
  port.on('message', (message: ToWorker) => {
    const { id } = message;
    if (message.kind === 'abort') {
      aborts.get(id)?.abort();
      return;
    }
    const abort = new AbortController();
    aborts.set(id, abort);
    queue
      .add(() => callCore(core, message.method, message.args as never, abort.signal))
      .then(
        (result) => send({ kind: 'result', id, result }),
        (error: unknown) => send({ kind: 'error', id, error }),
      )
      .finally(() => aborts.delete(id));
  });
}
