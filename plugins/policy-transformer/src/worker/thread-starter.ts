/**
 * The thread that starts the threads of all cores of a process, so that denormal numbers count as zero in each of them.
 * That is a setting of a thread. ONNX Runtime makes it only in the thread of the process's first session; on Linux,
 * threads inherit it from the thread that starts them. Cores with different settings would round differently.
 */
import { arch, platform } from 'node:process';
import { parentPort, Worker } from 'node:worker_threads';

import { checkExecutor } from '../executors/check-executor.js';
import { createExecutor } from '../executors/create-executor.js';
import type { CoreStart, FromStarter, StartThreads } from './messages.js';

/** Platforms on which threads inherit the setting and ONNX Runtime can make it. */
const FLUSHING_PLATFORMS = ['linux-x64'];

const ready = new Map<StartThreads['settings']['engine'], Promise<string | undefined>>();
parentPort!.on('message', (request: StartThreads) => void start(request));

async function start({ settings, ports, control }: StartThreads): Promise<void> {
  const send = (message: FromStarter) => control.postMessage(message);
  const { engine } = settings;
  if (!ready.has(engine)) ready.set(engine, makeFirstSession(engine));
  const problem = await ready.get(engine);
  if (problem !== undefined) send({ kind: 'log', message: problem });
  const workers = ports.map((port) => startCore({ settings, port }));
  const end = async () => {
    await Promise.all(workers.map((worker) => worker.removeAllListeners('exit').terminate()));
    send({ kind: 'ended' });
    control.close();
  };
  for (const worker of workers) {
    worker.once('error', (error) => send({ kind: 'failed', error }));
    worker.once('exit', (code) => send({ kind: 'failed', error: new Error(`it ended with code ${code}`) }));
  }
  control.once('message', () => void end());
}

function startCore(start: CoreStart): Worker {
  return new Worker(new URL('./core-thread.js', import.meta.url), {
    workerData: start,
    transferList: [start.port],
    execArgv: [],
  });
}

/** Returns a problem to report. An engine that does not work is reported by the cores. */
async function makeFirstSession(engine: StartThreads['settings']['engine']): Promise<string | undefined> {
  if (engine === 'onnxruntime-web') return undefined;
  try {
    const executor = await createExecutor({ engine, threads: 1, log: () => undefined });
    if (executor.engine === 'onnxruntime-web') return undefined;
    await checkExecutor(executor);
  } catch {
    return undefined;
  }
  if (!FLUSHING_PLATFORMS.includes(`${platform}-${arch}`) || countsDenormalsAsZero()) return undefined;
  return 'another part of this process used ONNX Runtime first, so denormal numbers do not count as zero: training may be slower, and its last bits differ';
}

function countsDenormalsAsZero(): boolean {
  const numbers = Float64Array.of(Number.MIN_VALUE);
  return numbers[0]! * 2 === 0;
}
