/** The thread of one core. */
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';

import { CallQueue } from './call-queue.js';
import { EngineCore } from './engine-core.js';
import { callCore, movedResults } from './engine.js';
import type { CoreStart, FromCore, ToCore } from './messages.js';

const { settings, port } = workerData as CoreStart;
// A message is read between two runs of the library. To be ended from outside during a run would crash the process: the
// library's binding cannot make its results any more, and throws where nobody catches.
parentPort!.once('message', () => process.exit());
const send = (message: FromCore, moved: readonly ArrayBuffer[] = []) => port.postMessage(message, moved);
try {
  answer(await EngineCore.create(settings, (message) => send({ kind: 'log', message })), port);
} catch (error) {
  send({ kind: 'failed', error });
}

function answer(core: EngineCore, from: MessagePort): void {
  const queue = new CallQueue();
  const aborts = new Map<number, AbortController>();
  from.on('message', (message: ToCore) => {
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
        (result) => send({ kind: 'result', id, result }, movedResults(message.method, result)),
        (error: unknown) => send({ kind: 'error', id, error }),
      )
      .finally(() => aborts.delete(id));
  });
}
