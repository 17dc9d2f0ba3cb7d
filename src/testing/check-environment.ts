// The conformance kit of environments: a plain function without a test runner, in the spirit of Gymnasium's env_checker.
import { rmSync } from 'node:fs';

import type { Environment } from '../contracts/environment.js';
import { createRandom } from '../random/create-random.js';
import {
  splitNames,
  type CheckContext,
  type EnvironmentCheck,
  type SampledTask,
} from './environment-checks/check-context.js';
import {
  resolveSettings,
  type EnvironmentCheckSettings,
  type EnvironmentSubject,
} from './environment-checks/environment-subject.js';
import { episodeChecks } from './environment-checks/episode-checks.js';
import { lifecycleChecks } from './environment-checks/lifecycle-checks.js';
import { malformedChecks } from './environment-checks/malformed-checks.js';
import { playMalformed, type MalformedAnswer } from './environment-checks/play-malformed.js';
import {
  chooseAtRandom,
  playEpisode,
  type ChooseAction,
  type PlayedEpisode,
} from './environment-checks/play-episode.js';
import { repetitionChecks } from './environment-checks/repetition-checks.js';
import { taskChecks } from './environment-checks/task-checks.js';
import { worldChecks } from './environment-checks/world-checks.js';
import { findingsOf, runKit, type KitReport } from './conformance-kit.js';
import { checkEnvironmentShape, checkSplitsShape } from './environment-checks/check-shape.js';
import { measureSpeed } from './environment-checks/measure-speed.js';
import type { Finding } from './finding.js';
import { testHost } from './test-host.js';

/** Every check of the kit, in the order in which they run. */
export const environmentChecks: readonly EnvironmentCheck[] = [
  ...taskChecks,
  ...episodeChecks,
  ...repetitionChecks,
  ...worldChecks,
  ...malformedChecks,
  ...lifecycleChecks,
];

/** Checks an environment against its contract, and tells what became of each check. */
export async function examineEnvironment<Options>(
  subject: EnvironmentSubject<Options>,
  settings: EnvironmentCheckSettings = {},
): Promise<KitReport> {
  const host = testHost(settings.seed ?? 0);
  const made: Environment[] = [];
  let stepsPerSecond: number | undefined;
  try {
    const checks = await runKit('environment', environmentChecks, settings, async () => {
      const context = await prepare(subject, settings, made, async () => {
        const environment: unknown = await subject.create(subject.options, host);
        checkEnvironmentShape(environment);
        return environment;
      });
      stepsPerSecond = await measureSpeed(context);
      return context;
    });
    return { checks, ...(stepsPerSecond !== undefined && { stepsPerSecond }) };
  } finally {
    for (const environment of made) {
      // What dispose throws has been found by then.
      await Promise.resolve()
        .then(() => environment.dispose?.())
        .catch(() => undefined);
    }
    rmSync(host.cacheDirectory, { recursive: true, force: true });
  }
}

/**
 * Checks an environment against its contract, and says what is wrong and what usually causes it. Nothing is found in a good one.
 *
 * @example
 * ```ts
 * const findings = await checkEnvironment({ tasks, create, options: { depths: [1, 2] }, contribution: { name: 'textcraft' } });
 * ```
 */
export async function checkEnvironment<Options>(
  subject: EnvironmentSubject<Options>,
  settings: EnvironmentCheckSettings = {},
): Promise<Finding[]> {
  return findingsOf(await examineEnvironment(subject, settings));
}

async function prepare<Options>(
  subject: EnvironmentSubject<Options>,
  settings: EnvironmentCheckSettings,
  made: Environment[],
  createUnowned: () => Promise<Environment>,
): Promise<CheckContext> {
  const resolved = resolveSettings(settings);
  const random = createRandom(resolved.seed);
  const tasks = () => {
    const splits: unknown = subject.tasks(subject.options);
    checkSplitsShape(splits);
    return splits;
  };
  const create = async () => {
    const environment = await createUnowned();
    made.push(environment);
    return environment;
  };
  const sample = sampleTasks(tasks(), resolved.tasks);
  const play = async (choose: (task: string) => ChooseAction, limit: number): Promise<PlayedEpisode[]> => {
    const environment = await create();
    const episodes: PlayedEpisode[] = [];
    for (const { task } of sample) episodes.push(await playEpisode(environment, task, random, choose(task), limit));
    return episodes;
  };
  let malformed: Promise<MalformedAnswer[]> | undefined;
  const playAllMalformed = async () =>
    playMalformed(
      await create(),
      sample.map(({ task }) => task),
      resolved.malformed,
      random.stream('malformed'),
    );
  const oracle = (await create()).experts?.['oracle'];
  const oracleTurns = Math.max(200, 2 * (subject.contribution.maxTurns ?? 0));
  return {
    contribution: subject.contribution,
    settings: resolved,
    options: subject.options,
    random,
    tasks,
    create,
    createUnowned,
    sample,
    randomEpisodes: await play((task) => chooseAtRandom(random, task), resolved.turns),
    oracleEpisodes: oracle === undefined ? undefined : await play(chooseAsOracle, oracleTurns),
    malformed: () => (malformed ??= playAllMalformed()),
  };

  function chooseAsOracle(task: string): ChooseAction {
    const stream = random.stream('oracle', task);
    return (environment) => environment.experts?.['oracle']?.(stream);
  }
}

/** Tasks spread evenly over each split. */
function sampleTasks(splits: ReturnType<CheckContext['tasks']>, perSplit: number): SampledTask[] {
  return splitNames.flatMap((split) => {
    const { count } = splits[split];
    const taken = count === 'unbounded' ? perSplit : Math.min(count, perSplit);
    return Array.from({ length: taken }, (_, index) => {
      const at = count === 'unbounded' ? index : Math.floor((index * count) / taken);
      return { split, task: splits[split].id(at) };
    });
  });
}
