// Plays the tasks in a worker thread and in two child processes with different locales, time zones and hash seeds, and
// compares the results.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

import type { EnvironmentModule } from '../../contracts/environment.js';
import type { Contribution } from '../../contracts/plugin.js';
import { createRandom } from '../../random/create-random.js';
import { firstFound, foundAt } from '../findings.js';
import { testEnvironmentHost } from '../test-host.js';
import { freshCall } from './call-environment.js';
import type { EnvironmentContext } from './environment-context.js';
import { jsonDifference } from '../json-difference.js';
import { chooseAs, playEpisode, seenOf } from './play-episode.js';
import { listSplits } from './list-splits.js';

interface ReplayRequest {
  /** URL of the built module, or of a plugin's entry. */
  readonly entry: string;
  /** The environment contribution in that entry; absent: the entry is the module of the environment. */
  readonly contribution: string | undefined;
  readonly options: unknown;
  readonly tasks: readonly string[];
  readonly seed: number;
  readonly turns: number;
  /** Ids to list of each split. */
  readonly ids: number;
  /** Plays the tasks in reverse order. */
  readonly backwards: boolean;
}

/**
 * Lists the splits and plays tasks with random actions in this process. Returns what was seen, as one line of JSON. The
 * child processes and the worker thread run this function.
 */
export async function replayEpisodes(request: ReplayRequest): Promise<string> {
  const { seed, tasks, turns, backwards } = request;
  const module = await importModule(request);
  const world = await module.open(request.options, testEnvironmentHost());
  const environment = await world.create(freshCall());
  const random = createRandom(seed);
  const seen = new Map<string, object>();
  for (const task of backwards ? tasks.toReversed() : tasks)
    seen.set(task, seenOf(await playEpisode(environment, task, random, chooseAs('random', random, task), turns)));
  const splits = Object.fromEntries(await listSplits(world, request.ids));
  await environment.dispose?.();
  await world.close?.();
  return JSON.stringify({ splits, ...Object.fromEntries(tasks.map((task) => [`task ${task}`, seen.get(task)])) });
}

async function importModule({ entry, contribution }: ReplayRequest): Promise<EnvironmentModule<unknown>> {
  const imported = (await import(entry)) as EnvironmentModule<unknown> & { default?: readonly Contribution[] };
  if (contribution === undefined) return imported;
  const found = imported.default?.find(({ kind, name }) => kind === 'environment' && name === contribution);
  if (found === undefined) throw new Error(`${entry} has no environment ${contribution}`);
  return (await found.load()) as unknown as EnvironmentModule<unknown>;
}

/** This file as it is built: a plugin of another package cannot import it by name. */
const built = import.meta.url.replace(/\/src\/(testing\/.*)\.ts$/, '/dist/$1.js');

/** The program of the processes and of the thread. Its channel keeps a process alive until it is killed. */
const program = `
const { isMainThread, parentPort, workerData } = require('node:worker_threads');
const tell = (message) => (isMainThread ? process.send(message) : parentPort.postMessage(message));
const fail = (error) => tell({ error: String(error?.message ?? error) });
const replay = (request) =>
  import('${built}')
    .then(({ replayEpisodes }) => replayEpisodes(request))
    .then((line) => tell({ line }), fail);
if (isMainThread) process.on('message', replay).on('uncaughtException', fail);
else replay(workerData);
`;

/** Most ids to list of each split in another process. */
const mostListed = 1_000;

/** Maximum time of a replay in milliseconds. */
const patience = 120_000;

function replayInProcess(request: ReplayRequest, hashSeed: number, own: NodeJS.ProcessEnv): Promise<unknown> {
  const flags = [`--hash-seed=${hashSeed}`, '--eval', program];
  const child = spawn(process.execPath, flags, {
    env: { ...process.env, ...own },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // What is wrong with the process ends it, which is told below.
  child.send(request, () => {});
  return answerOf(child, () => void child.kill('SIGKILL'));
}

function replayInThread(workerData: ReplayRequest, own: NodeJS.ProcessEnv): Promise<unknown> {
  const worker = new Worker(program, { eval: true, workerData, env: { ...process.env, ...own } });
  return answerOf(worker, () => worker.terminate());
}

/** What the program tells in its process or thread, which then ends. */
function answerOf(from: ChildProcess | Worker, end: () => Promise<unknown> | void): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const fail = (message: string) => () => reject(new Error(message));
    const timer = setTimeout(fail(`it took longer than ${patience / 1_000} s`), patience);
    from
      .once('message', ({ line, error }: { line?: string; error?: string }) =>
        line === undefined ? reject(new Error(error)) : resolve(JSON.parse(line)),
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
