// The conformance kit of environments: a plain function that needs no test runner, like Gymnasium's env_checker.
import { rmSync } from 'node:fs';

import type { Environment, World } from '../contracts/environment.js';
import { createRandom } from '../random/create-random.js';
import { aboutChecks } from './environment-checks/about-checks.js';
import { callChecks } from './environment-checks/call-checks.js';
import { freshCall } from './environment-checks/call-environment.js';
import {
  splitNames,
  type CheckContext,
  type EnvironmentCheck,
  type SampledTask,
} from './environment-checks/check-context.js';
import { checkEnvironmentShape, checkWorldShape } from './environment-checks/check-shape.js';
import { replayInChild } from './environment-checks/compare-processes.js';
import {
  resolveSettings,
  type EnvironmentCheckSettings,
  type EnvironmentSubject,
} from './environment-checks/environment-subject.js';
import { episodeChecks } from './environment-checks/episode-checks.js';
import { lifecycleChecks } from './environment-checks/lifecycle-checks.js';
import { malformedChecks } from './environment-checks/malformed-checks.js';
import { measureSpeed } from './environment-checks/measure-speed.js';
import { chooseAs, playEpisode, type CheckedEpisode } from './environment-checks/play-episode.js';
import { playMalformed, type MalformedAnswer } from './environment-checks/play-malformed.js';
import { playerChecks } from './environment-checks/player-checks.js';
import { repetitionChecks } from './environment-checks/repetition-checks.js';
import { sharingChecks } from './environment-checks/sharing-checks.js';
import { stateKeyChecks } from './environment-checks/state-key-checks.js';
import { taskChecks } from './environment-checks/task-checks.js';
import { worldChecks } from './environment-checks/world-checks.js';
import { findingsOf, runKit, type KitReport, type Preparation } from './conformance-kit.js';
import type { Finding } from './finding.js';
import { quietly } from './quietly.js';
import { testEnvironmentHost } from './test-host.js';

/** The check before all others, and the check that replaces all others if the world is down. */
export const environmentPreparation = {
  id: 'create',
  title: 'open() and create() work and return a valid world and valid instances',
  likelyCause: 'open() or create() fails with these options, or returns a value that breaks the contract',
  why: 'The environment cannot be played. Every run with it ends immediately.',
  cure: 'Make open() and create() work with the declared defaults, and return every member of the contract.',
  availability: {
    id: 'available',
    title: 'the world is available',
    likelyCause: 'a server that is not running or not reachable',
    why: 'A run would end immediately and could be resumed later. No other check could run.',
    cure: 'Start the server, or set its address in an option. Throw `UNAVAILABLE` only if the world itself is down.',
  },
} as const satisfies Preparation;

/** Every check of the kit, in order. */
export const environmentChecks: readonly EnvironmentCheck[] = [
  ...taskChecks,
  ...aboutChecks,
  ...episodeChecks,
  ...playerChecks,
  ...repetitionChecks,
  ...stateKeyChecks,
  ...worldChecks,
  ...sharingChecks,
  ...callChecks,
  ...malformedChecks,
  ...lifecycleChecks,
];

/** Checks an environment against its contract and reports the outcome of each check. */
export async function examineEnvironment<Options>(
  subject: EnvironmentSubject<Options>,
  settings: EnvironmentCheckSettings = {},
): Promise<KitReport> {
  const host = testEnvironmentHost();
  const worlds: World[] = [];
  const instances: Environment[] = [];
  let stepsPerSecond: number | undefined;
  const open = async (): Promise<World> => {
    const world: unknown = await subject.open(subject.options, host);
    checkWorldShape(world);
    return world;
  };
  const disposeOfAll = async (): Promise<void> => {
    for (const instance of instances.splice(0)) await quietly(() => instance.dispose?.());
  };
  /** Wraps a check so that its instances are disposed of afterwards: a world may allow only a few at a time. */
  const tidy = (check: EnvironmentCheck): EnvironmentCheck => ({
    ...check,
    run: async (context) => {
      try {
        return await check.run(context);
      } finally {
        await disposeOfAll();
      }
    },
  });
  try {
    const prepareAll = async (): Promise<CheckContext> => {
      try {
        const context = await prepare(subject, settings, open, worlds, instances);
        if (settings.speed === true) stepsPerSecond = await measureSpeed(context);
        return context;
      } finally {
        await disposeOfAll();
      }
    };
    const checks = await runKit(environmentChecks.map(tidy), settings, prepareAll, environmentPreparation);
    return { checks, ...(stepsPerSecond !== undefined && { stepsPerSecond }) };
  } finally {
    await disposeOfAll();
    for (const world of worlds) await quietly(() => world.close?.());
    rmSync(host.cacheDirectory, { recursive: true, force: true });
  }
}

/**
 * Checks an environment against its contract and returns findings with their usual causes. The list is empty if all
 * checks pass.
 *
 * @example
 * ```ts
 * const findings = await checkEnvironment({ open, options: { depths: [1, 2] }, contribution: { name: 'textcraft' } });
 * ```
 */
export async function checkEnvironment<Options>(
  subject: EnvironmentSubject<Options>,
  settings: EnvironmentCheckSettings = {},
): Promise<Finding[]> {
  return findingsOf(await examineEnvironment(subject, settings));
}

/**
 * @param worlds collects the worlds that the kit closes at its end; `instances` collects the instances to dispose of
 */
async function prepare<Options>(
  subject: EnvironmentSubject<Options>,
  settings: EnvironmentCheckSettings,
  openUnowned: () => Promise<World>,
  worlds: World[],
  instances: Environment[],
): Promise<CheckContext> {
  const resolved = resolveSettings(settings);
  const random = createRandom(resolved.seed);
  const open = async (): Promise<World> => {
    const opened = await openUnowned();
    worlds.push(opened);
    return opened;
  };
  const world = await open();
  const createUnowned = async (of = world): Promise<Environment> => {
    const environment: unknown = await of.create(freshCall());
    checkEnvironmentShape(environment);
    return environment;
  };
  const create = async (of = world): Promise<Environment> => {
    const environment = await createUnowned(of);
    instances.push(environment);
    return environment;
  };
  const sample = await sampleTasks(world, resolved.tasks);
  const first = await create();
  const play = async (player: string, limit: number): Promise<CheckedEpisode[]> => {
    const episodes: CheckedEpisode[] = [];
    for (const { task } of sample)
      episodes.push(await playEpisode(first, task, random, chooseAs(player, random, task), limit));
    return episodes;
  };
  let malformed: Promise<MalformedAnswer[]> | undefined;
  const playAllMalformed = async (): Promise<MalformedAnswer[]> =>
    playMalformed(
      await create(),
      sample.map(({ task }) => task),
      resolved.malformed,
      random.stream('malformed'),
    );
  let other: Promise<World> | undefined;
  let replay: Promise<string[]> | undefined;
  const oracleTurns = Math.max(200, 2 * (world.maxTurns ?? 0));
  const context: CheckContext = {
    contribution: subject.contribution,
    settings: resolved,
    options: subject.options,
    random,
    world,
    concludes: first.conclude !== undefined,
    otherWorld: () => (other ??= open()),
    openUnowned,
    create,
    createUnowned,
    sample,
    randomEpisodes: await play('random', resolved.turns),
    oracleEpisodes: world.experts?.includes('oracle') === true ? await play('oracle', oracleTurns) : undefined,
    malformed: () => (malformed ??= playAllMalformed()),
    freshReplay: () => (replay ??= replayInChild(context)),
  };
  return context;
}

/** Tasks spread evenly over each split. */
async function sampleTasks({ splits }: World, perSplit: number): Promise<SampledTask[]> {
  const sample: SampledTask[] = [];
  for (const split of splitNames) {
    const { count } = splits[split];
    const taken = count === 'unbounded' ? perSplit : Math.min(count, perSplit);
    for (let index = 0; index < taken; index += 1) {
      const place = count === 'unbounded' ? index : Math.floor((index * count) / taken);
      sample.push({ split, task: await splits[split].id(place) });
    }
  }
  return sample;
}
