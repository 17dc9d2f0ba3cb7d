// Plays tasks in a worker thread or in another process, for `compareProcesses`.
import { isMainThread, parentPort, workerData } from 'node:worker_threads';

import type { EnvironmentModule } from '../../contracts/environment-module.js';
import type { Contribution } from '../../contracts/plugin.js';
import { messageOf } from '../../errors/message-of.js';
import { createRandom } from '../../random/create-random.js';
import { testEnvironmentHost } from '../test-host.js';
import { freshCall } from './call-environment.js';
import { giveSandbox } from './give-sandbox.js';
import { listSplits } from './list-splits.js';
import { chooseAs, playEpisode, seenOf } from './play-episode.js';

export interface ReplayRequest {
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

/** What is told of a replay: what was seen, as JSON, or why there is nothing to see. */
export type ReplayAnswer = { readonly seen: string } | { readonly error: string };

/** Lists the splits and plays tasks with random actions. */
async function replayEpisodes(request: ReplayRequest): Promise<string> {
  const { seed, tasks, turns, backwards } = request;
  const module = await importModule(request);
  const world = giveSandbox(await module.open(request.options, testEnvironmentHost()));
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

function tell(answer: ReplayAnswer): void {
  if (isMainThread) process.send?.(answer);
  else parentPort?.postMessage(answer);
}

const fail = (error: unknown): void => tell({ error: messageOf(error) });
const replay = (request: ReplayRequest): void => void replayEpisodes(request).then((seen) => tell({ seen }), fail);

// The listener keeps a process alive until it is killed.
if (isMainThread) process.on('message', replay).on('uncaughtException', fail);
else replay(workerData as ReplayRequest);
