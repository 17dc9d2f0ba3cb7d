// Plays the tasks in a worker thread and in two child processes with different locales, time zones and hash seeds, and
// compares the results.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';

import type { EnvironmentModule } from '../../contracts/environment.js';
import type { Contribution } from '../../contracts/plugin.js';
import { isUnavailable } from '../../errors/is-unavailable.js';
import { messageOf } from '../../errors/message-of.js';
import { createRandom } from '../../random/create-random.js';
import { firstFound } from '../findings.js';
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

/** A plugin of another package cannot import this package by name. */
const door = new URL(
  import.meta.url.endsWith('.ts') ? '../../../dist/testing/index.js' : '../index.js',
  import.meta.url,
);

const program = `
import { replayEpisodes } from '${door.href}';
const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
process.stdout.write('\\n' + (await replayEpisodes(JSON.parse(Buffer.concat(chunks).toString()))));
`;

/** The program of the worker thread, which can also play a plugin of another package. */
const threadProgram = `
const { parentPort, workerData } = require('node:worker_threads');
const tell = (error) => parentPort.postMessage({ error: error instanceof Error ? error.message : String(error) });
import('${door.href}')
  .then(({ replayEpisodes }) => replayEpisodes(workerData))
  .then((line) => parentPort.postMessage({ line }), tell);
`;

/** Most ids to list of each split in another process. */
const mostListed = 1_000;

/** Maximum time of a replay in milliseconds. */
const patience = 120_000;

async function replayInProcess(
  request: ReplayRequest,
  hashSeed: number,
  environment: NodeJS.ProcessEnv,
): Promise<string> {
  const flags = [`--hash-seed=${hashSeed}`, '--input-type=module', '--eval', program];
  const settings = { env: { ...process.env, ...environment }, maxBuffer: 1 << 28, timeout: patience };
  const pending = promisify(execFile)(process.execPath, flags, settings);
  // The exit of the process explains an incomplete write.
  pending.child.stdin?.on('error', () => {}).end(JSON.stringify(request));
  // Output of the plugin precedes the result.
  return (await pending).stdout.split('\n').at(-1) ?? '';
}

function replayInThread(workerData: ReplayRequest, environment: NodeJS.ProcessEnv): Promise<string> {
  const worker = new Worker(threadProgram, { eval: true, workerData, env: { ...process.env, ...environment } });
  return new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`it took longer than ${patience / 1_000} s`)), patience);
    worker
      .once('message', ({ line, error }: { line?: string; error?: string }) =>
        line === undefined ? reject(new Error(error)) : resolve(line),
      )
      .once('error', reject)
      .once('exit', () => reject(new Error('it ended its thread')))
      .once('exit', () => clearTimeout(timer));
    // oxlint-disable-next-line typescript/no-misused-promises -- `finally` waits for it
  }).finally(() => worker.terminate());
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
  const ends = await Promise.allSettled(Object.values(places));
  const lines = new Map(Object.keys(places).map((place, index) => [place, ends[index]!]));
  let first: unknown;
  return firstFound(lines, ([place, end]) => {
    if (end.status === 'rejected') {
      if (isUnavailable(end.reason)) throw end.reason;
      return `${place} broke: ${messageOf(end.reason)}`;
    }
    const line: unknown = JSON.parse(end.value);
    const difference = jsonDifference((first ??= line), line);
    return difference && `${place} differs: ${difference}`;
  });
}
