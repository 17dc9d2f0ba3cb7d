// Plays the tasks in a worker thread and in two child processes with different locales, time zones and hash seeds, and
// compares the results.
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

import { firstFound, foundAt } from '../findings.js';
import { jsonDifference } from '../json-difference.js';
import type { EnvironmentContext } from './environment-context.js';
import type { ReplayAnswer, ReplayRequest } from './replay-process.js';

/** The program of the processes and of the thread, as it is built. */
const program = fileURLToPath(
  new URL('replay-process.js', import.meta.url.replace(/\/src\/(testing\/.*)$/, '/dist/$1')),
);

/** Most ids to list of each split in another process. */
const mostListed = 1_000;

/** Maximum time of a replay in milliseconds. */
const patience = 120_000;

function replayInProcess(request: ReplayRequest, hashSeed: number, own: NodeJS.ProcessEnv): Promise<unknown> {
  const child = fork(program, [], {
    execArgv: [`--hash-seed=${hashSeed}`],
    env: { ...process.env, ...own },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // A process that cannot read it has ended, which is told below.
  child.send(request, () => {});
  return answerOf(child, () => void child.kill('SIGKILL'));
}

function replayInThread(workerData: ReplayRequest, own: NodeJS.ProcessEnv): Promise<unknown> {
  const worker = new Worker(program, { workerData, env: { ...process.env, ...own } });
  return answerOf(worker, () => worker.terminate());
}

/** What the program tells in its process or thread, which then ends. */
function answerOf(from: ChildProcess | Worker, end: () => Promise<unknown> | void): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const fail = (message: string) => () => reject(new Error(message));
    const timer = setTimeout(fail(`it took longer than ${patience / 1_000} s`), patience);
    from
      .once('message', (answer: ReplayAnswer) =>
        'error' in answer ? reject(new Error(answer.error)) : resolve(JSON.parse(answer.seen)),
      )
      .once('error', reject)
      .once('exit', fail('it ended before its work'))
      .once('exit', () => clearTimeout(timer));
    // oxlint-disable-next-line typescript/no-misused-promises -- `finally` waits for it
  }).finally(end);
}

/** Sentences about what differs in other processes and in a thread. */
export async function compareProcesses({ options, tasks, settings }: EnvironmentContext): Promise<string | undefined> {
  const { freshProcess, freshContribution: contribution, seed, turns } = settings;
  if (freshProcess === undefined) return undefined;
  if (!existsSync(freshProcess)) return `${fileURLToPath(freshProcess)} does not exist: build first`;
  const played = { tasks: [...new Set(tasks)], seed, turns, ids: Math.min(settings.ids, mostListed), backwards: false };
  const request: ReplayRequest = { entry: freshProcess.href, contribution, options, ...played };
  const plain = { LC_ALL: 'C', LANG: 'C', TZ: 'UTC' };
  const elsewhere = { LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8', TZ: 'Asia/Kathmandu' };
  const places = {
    'a fresh process': replayInProcess(request, 1, plain),
    'another fresh process': replayInProcess({ ...request, backwards: true }, 20, elsewhere),
    'a worker thread': replayInThread(request, plain),
  };
  await Promise.allSettled(Object.values(places));
  return firstFound(Object.entries(places), ([place, answer]) =>
    foundAt(place, async () => {
      const difference = jsonDifference(await places['a fresh process'], await answer);
      return difference && `it differs: ${difference}`;
    }),
  );
}
