/**
 * The thread that starts the threads of all cores of a process, so that denormal numbers count as zero in each of them:
 * threads inherit this from the thread that starts them. Cores that differ would round differently.
 */
import { parentPort, SHARE_ENV, Worker } from 'node:worker_threads';

import { flushDenormals } from '../executors/flush-denormals.js';
import type { CoreStart, FromStarter, StartThreads } from './messages.js';

const ready = new Map<StartThreads['settings']['engine'], Promise<string | undefined>>();
parentPort!.on('message', (request: StartThreads) => void start(request));

async function start({ settings, ports, control }: StartThreads): Promise<void> {
  const send = (message: FromStarter) => control.postMessage(message);
  const { engine } = settings;
  if (!ready.has(engine)) ready.set(engine, flushDenormals(engine));
  const problem = await ready.get(engine);
  if (problem !== undefined) send({ kind: 'log', message: problem });
  const workers = ports.map((port) => startCore({ settings, port }));
  const end = async () => {
    await Promise.all(workers.map(endOf));
    send({ kind: 'ended' });
    control.close();
  };
  for (const worker of workers) {
    worker.once('error', (error) => send({ kind: 'failed', error }));
    worker.once('exit', (code) => send({ kind: 'failed', error: new Error(`it ended with code ${code}`) }));
  }
  control.once('message', () => void end());
}

/** Waits for the run that is in progress. */
function endOf(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.removeAllListeners('exit').once('exit', () => resolve());
    // A thread that has ended has no number.
    if (worker.threadId < 0) resolve();
    else worker.postMessage('end');
  });
}

function startCore(start: CoreStart): Worker {
  return new Worker(new URL('./core-thread.js', import.meta.url), {
    workerData: start,
    transferList: [start.port],
    execArgv: [],
    // Libraries read their settings from the environment of the process.
    env: SHARE_ENV,
  });
}
