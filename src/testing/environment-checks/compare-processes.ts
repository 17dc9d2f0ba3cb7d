// Plays the sampled tasks in two child processes that differ in everything that must not matter, and compares what they print.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import type { EnvironmentModule, TaskSplits } from '../../contracts/environment.js';
import type { Contribution } from '../../contracts/plugin.js';
import { messageOf } from '../../errors/message-of.js';
import { createRandom } from '../../random/create-random.js';
import { testHost } from '../test-host.js';
import { shorten } from '../shorten.js';
import { splitNames, type CheckContext } from './check-context.js';
import { chooseAtRandom, episodeBytes, playEpisode } from './play-episode.js';

/** What a child process is asked to play. */
interface ReplayRequest {
  /** URL of the built module, or of a plugin's entry. */
  readonly entry: string;
  /** The environment contribution of that entry; absent: the module is the environment's own. */
  readonly contribution?: string;
  readonly options: unknown;
  readonly tasks: readonly string[];
  readonly seed: number;
  readonly turns: number;
  /** Plays the tasks last to first, and answers in the order asked. */
  readonly backwards: boolean;
}

/** Ids of each split, at most a thousand of each, as one line of JSON. */
function listSplits(splits: TaskSplits): string {
  return JSON.stringify(
    splitNames.map((split) => {
      const { count } = splits[split];
      const taken = count === 'unbounded' ? 1_000 : Math.min(count, 1_000);
      return [count, Array.from({ length: taken }, (_, index) => splits[split].id(index))];
    }),
  );
}

/**
 * Lists the splits and plays tasks with random actions in this process: a line of JSON for the splits, and one for each episode. What the
 * child processes run.
 */
export async function replayEpisodes(request: ReplayRequest): Promise<string[]> {
  const module = await importModule(request);
  const environment = await module.create(request.options, testHost(request.seed));
  const random = createRandom(request.seed);
  const lines = new Map<string, string>();
  for (const task of request.backwards ? request.tasks.toReversed() : request.tasks) {
    const episode = await playEpisode(environment, task, random, chooseAtRandom(random, task), request.turns);
    lines.set(task, episodeBytes(episode));
  }
  await environment.dispose?.();
  return [listSplits(module.tasks(request.options)), ...request.tasks.map((task) => lines.get(task) ?? '')];
}

async function importModule({ entry, contribution }: ReplayRequest): Promise<EnvironmentModule<unknown>> {
  const imported = (await import(entry)) as EnvironmentModule<unknown> & { default?: readonly Contribution[] };
  if (contribution === undefined) return imported;
  const found = imported.default?.find(({ kind, name }) => kind === 'environment' && name === contribution);
  if (found === undefined) throw new Error(`${entry} has no environment ${contribution}`);
  return (await found.load()) as unknown as EnvironmentModule<unknown>;
}

/** A stranger's plugin cannot import us by name. */
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

async function replayInChild(
  request: ReplayRequest,
  flags: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<string[]> {
  const pending = promisify(execFile)(process.execPath, [...flags, '--input-type=module', '--eval', program], {
    env: { ...process.env, ...environment },
    maxBuffer: 1 << 28,
    timeout: 120_000,
  });
  // A process that ends before it has read everything is told of by how it ended.
  pending.child.stdin?.on('error', () => {}).end(JSON.stringify(request));
  // What a plugin prints stands before.
  return (await pending).stdout.split('\n').slice(-1 - request.tasks.length);
}

/** Sentences about tasks whose bytes differ between the two processes; none where no built module is given. */
export async function compareProcesses(context: CheckContext): Promise<string[]> {
  const { freshProcess, freshContribution, seed, turns } = context.settings;
  if (freshProcess === undefined) return [];
  if (!existsSync(freshProcess)) return [`${fileURLToPath(freshProcess)} is not there: build first`];
  const tasks = [...new Set(context.sample.map(({ task }) => task))];
  const contribution = freshContribution === undefined ? {} : { contribution: freshContribution };
  const request = { entry: freshProcess.href, ...contribution, options: context.options, tasks, seed, turns };
  try {
    const [first, second] = await Promise.all([
      replayInChild({ ...request, backwards: false }, ['--hash-seed=1'], { LC_ALL: 'C', LANG: 'C', TZ: 'UTC' }),
      replayInChild({ ...request, backwards: true }, ['--hash-seed=20'], {
        LC_ALL: 'tr_TR.UTF-8',
        LANG: 'tr_TR.UTF-8',
        TZ: 'Asia/Kathmandu',
      }),
    ]);
    const found = first[0] === second[0] ? [] : ['the splits hold other tasks'];
    for (const [index, task] of tasks.entries()) {
      if (first[index + 1] !== second[index + 1]) found.push(`task ${shorten(task)} is played differently`);
    }
    return found;
  } catch (error) {
    return [`a fresh process broke: ${messageOf(error)}`];
  }
}
