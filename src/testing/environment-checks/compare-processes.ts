// Plays the sampled tasks in a worker thread and in two child processes with different locales, time zones and hash
// seeds, and compares the results.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';

import type { EnvironmentModule, World } from '../../contracts/environment.js';
import type { Contribution } from '../../contracts/plugin.js';
import { messageOf } from '../../errors/message-of.js';
import { createRandom } from '../../random/create-random.js';
import { isUnavailable } from '../../errors/is-unavailable.js';
import { testEnvironmentHost } from '../test-host.js';
import { shorten } from '../shorten.js';
import { splitNames, type CheckContext } from './check-context.js';
import { freshCall } from './call-environment.js';
import { bytesDifference, chooseAs, episodeBytes, playEpisode } from './play-episode.js';
import { listIds } from './task-checks.js';

/** The request to a child process. */
interface ReplayRequest {
  /** URL of the built module, or of a plugin's entry. */
  readonly entry: string;
  /** The environment contribution in that entry; absent: the entry is the module of the environment. */
  readonly contribution?: string;
  readonly options: unknown;
  readonly tasks: readonly string[];
  readonly seed: number;
  readonly turns: number;
  /** Ids to list of each split. */
  readonly ids: number;
  /** Plays the tasks in reverse order, and returns them in the given order. */
  readonly backwards: boolean;
}

/** Ids of each split as one line of JSON. */
async function listSplits({ splits }: World, limit: number): Promise<string> {
  const listed: unknown[] = [];
  for (const split of splitNames) listed.push([splits[split].count, await listIds(splits[split], limit)]);
  return JSON.stringify(listed);
}

/**
 * Lists the splits and plays tasks with random actions in this process. Returns one line of JSON for the splits and one
 * for each episode. The child processes and the worker thread run this function.
 */
export async function replayEpisodes(request: ReplayRequest): Promise<string[]> {
  const module = await importModule(request);
  const world = await module.open(request.options, testEnvironmentHost());
  const environment = await world.create(freshCall());
  const random = createRandom(request.seed);
  const lines = new Map<string, string>();
  for (const task of request.backwards ? request.tasks.toReversed() : request.tasks) {
    const choose = chooseAs('random', random, task);
    lines.set(task, episodeBytes(await playEpisode(environment, task, random, choose, request.turns)));
  }
  const splits = await listSplits(world, request.ids);
  await environment.dispose?.();
  await world.close?.();
  return [splits, ...request.tasks.map((task) => lines.get(task) ?? '')];
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
process.stdout.write('\\n' + (await replayEpisodes(JSON.parse(Buffer.concat(chunks).toString()))).join('\\n'));
`;

/** The program of the worker thread, which can also play a plugin of another package. */
const threadProgram = `
const { parentPort, workerData } = require('node:worker_threads');
const tell = (error) => parentPort.postMessage({ error: error instanceof Error ? error.message : String(error) });
import('${door.href}')
  .then(({ replayEpisodes }) => replayEpisodes(workerData))
  .then((lines) => parentPort.postMessage({ lines }), tell);
`;

/** Most ids to list of each split in another process. */
const mostListed = 1_000;

/** Maximum time of a replay in milliseconds. */
const patience = 120_000;

function requestOf({ options, sample, settings }: CheckContext): ReplayRequest {
  const { freshProcess, freshContribution, seed, turns } = settings;
  const ids = Math.min(settings.ids, mostListed);
  const tasks = [...new Set(sample.map(({ task }) => task))];
  const contribution = freshContribution === undefined ? {} : { contribution: freshContribution };
  return { entry: freshProcess?.href ?? '', ...contribution, options, tasks, seed, turns, ids, backwards: false };
}

async function replay(
  request: ReplayRequest,
  flags: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<string[]> {
  const pending = promisify(execFile)(process.execPath, [...flags, '--input-type=module', '--eval', program], {
    env: { ...process.env, ...environment },
    maxBuffer: 1 << 28,
    timeout: patience,
  });
  // The exit of the process explains an incomplete write.
  pending.child.stdin?.on('error', () => {}).end(JSON.stringify(request));
  // Output of the plugin precedes the result.
  return (await pending).stdout.split('\n').slice(-1 - request.tasks.length);
}

const plainPlace = { LC_ALL: 'C', LANG: 'C', TZ: 'UTC' };

/** The episodes of the sampled tasks in a fresh process. */
export function replayInChild(context: CheckContext): Promise<string[]> {
  return replay(requestOf(context), ['--hash-seed=1'], plainPlace);
}

function replayInThread(request: ReplayRequest): Promise<readonly string[]> {
  const worker = new Worker(threadProgram, { eval: true, workerData: request, env: { ...process.env, ...plainPlace } });
  return new Promise<readonly string[]>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`it took longer than ${patience / 1_000} s`)), patience);
    worker
      .once('message', ({ lines, error }: { lines?: readonly string[]; error?: string }) => {
        if (lines === undefined) reject(new Error(error));
        else resolve(lines);
      })
      .once('error', reject)
      .once('exit', () => reject(new Error('it ended its thread')));
    worker.once('exit', () => clearTimeout(timer));
    // oxlint-disable-next-line typescript/no-misused-promises -- `finally` waits for it
  }).finally(() => worker.terminate());
}

/** Sentences about different episodes; `replays` plays them twice. */
async function compare(
  context: CheckContext,
  broken: string,
  replays: () => Promise<readonly (readonly string[])[]>,
): Promise<string[]> {
  const { freshProcess } = context.settings;
  if (freshProcess === undefined) return [];
  if (!existsSync(freshProcess)) return [`${fileURLToPath(freshProcess)} does not exist: build first`];
  const { tasks } = requestOf(context);
  try {
    const [first = [], second = []] = await replays();
    const found = first[0] === second[0] ? [] : ['the splits contain other tasks'];
    for (const [index, task] of tasks.entries()) {
      const [one = '', other = ''] = [first[index + 1], second[index + 1]];
      if (one === other) continue;
      const where = bytesDifference(one, other);
      found.push(`task ${shorten(task)} is played differently${where === undefined ? '' : `: ${where}`}`);
    }
    return found;
  } catch (error) {
    if (isUnavailable(error)) throw error;
    return [`${broken} broke: ${messageOf(error)}`];
  }
}

/** Sentences about different episodes in two processes; empty if no built module is given. */
export function compareProcesses(context: CheckContext): Promise<string[]> {
  const elsewhere = { LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8', TZ: 'Asia/Kathmandu' };
  return compare(context, 'a fresh process', () =>
    Promise.all([
      context.freshReplay(),
      replay({ ...requestOf(context), backwards: true }, ['--hash-seed=20'], elsewhere),
    ]),
  );
}

/** Sentences about different episodes in a worker thread and a fresh process; empty if no built module is given. */
export function compareThreads(context: CheckContext): Promise<string[]> {
  return compare(context, 'a worker thread', () =>
    Promise.all([context.freshReplay(), replayInThread(requestOf(context))]),
  );
}
