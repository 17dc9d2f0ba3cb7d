import type { Awaitable, Environment, World } from '../../contracts/environment.js';
import type { Random } from '../../contracts/random.js';
import { checkShape } from '../../errors/check-shape.js';
import { createRandom } from '../../random/create-random.js';
import { environmentShape, worldShape } from '../../rollout/contribution-shapes.js';
import { type KitCheck, quietly } from '../conformance-kit.js';
import type { Found } from '../findings.js';
import { testEnvironmentHost } from '../test-host.js';
import { freshCall } from './call-environment.js';
import {
  type EnvironmentCheckSettings,
  type EnvironmentSubject,
  type ResolvedSettings,
  resolveSettings,
} from './environment-subject.js';
import { giveSandbox } from './give-sandbox.js';
import { listSplits } from './list-splits.js';
import { chooseAs, type CheckedEpisode, playEpisode } from './play-episode.js';

/** The input of every check. Episodes are played once and shared. */
export interface EnvironmentContext {
  readonly contribution: EnvironmentSubject['contribution'];
  readonly settings: ResolvedSettings;
  readonly options: unknown;
  readonly random: Random;
  /** The world of the episodes below. */
  readonly world: World;
  /** A second world, the same for all checks. */
  readonly other: () => Promise<World>;
  /** A new world. The kit closes all worlds at its end; a check may close it earlier. */
  readonly open: () => Promise<World>;
  /** A new instance, by default of `world`, that the caller disposes of. */
  readonly create: (of?: World) => Promise<Environment>;
  /** The tasks that the kit plays, spread evenly over each split. */
  readonly tasks: readonly string[];
  /** Episodes of the random baseline, one for each task. */
  readonly randomEpisodes: readonly CheckedEpisode[];
  /** Episodes of the oracle, one for each task; empty if there is no oracle. */
  readonly oracleEpisodes: readonly CheckedEpisode[];
}

export type EnvironmentCheck = KitCheck<EnvironmentContext>;

/** A check that replays episodes. It is skipped for external worlds, which may answer the same actions differently. */
export function repeatable(check: EnvironmentCheck): EnvironmentCheck {
  return {
    ...check,
    idle: (context) => (context.world.external === true ? 'the world is external' : check.idle?.(context)),
  };
}

/** Random episodes without an exception. */
export function unthrown({ randomEpisodes }: EnvironmentContext): readonly CheckedEpisode[] {
  return randomEpisodes.filter(({ thrown }) => thrown === undefined);
}

/** All episodes that were played for the checks. */
export function allEpisodes({ randomEpisodes, oracleEpisodes }: EnvironmentContext): readonly CheckedEpisode[] {
  return [...randomEpisodes, ...oracleEpisodes];
}

/** Plays on a new instance and then disposes of it: a world may allow only a few at a time. */
export async function onInstance<T>(
  context: Pick<EnvironmentContext, 'create'>,
  play: (environment: Environment) => Awaitable<T>,
  world?: World,
): Promise<T> {
  const environment = await context.create(world);
  try {
    return await play(environment);
  } finally {
    await quietly(() => environment.dispose?.());
  }
}

/** The run of a check that plays on one instance. */
export const onOneInstance =
  (play: (environment: Environment, context: EnvironmentContext) => Awaitable<Found>) =>
  (context: EnvironmentContext): Promise<Found> =>
    onInstance(context, (environment) => play(environment, context));

/** Creates the input of the checks. */
export async function prepareEnvironment(
  subject: EnvironmentSubject,
  settings: EnvironmentCheckSettings,
  atEnd: (free: () => Awaitable<unknown>) => void,
): Promise<EnvironmentContext> {
  const host = testEnvironmentHost();
  const resolved = resolveSettings(settings);
  const random = createRandom(resolved.seed);
  const open = async (): Promise<World> => {
    const opened = checkShape(await subject.open(subject.options as never, host), worldShape, 'open()');
    atEnd(() => opened.close?.());
    return giveSandbox(opened);
  };
  const world = await open();
  const create = async (of = world): Promise<Environment> =>
    checkShape(await of.create(freshCall()), environmentShape, 'create()');
  const tasks = [...(await listSplits(world, resolved.tasks)).values()].flat();
  if (tasks.length === 0) throw new Error('no split has tasks');
  const play = async (environment: Environment, player: string, limit: number): Promise<CheckedEpisode[]> => {
    const episodes: CheckedEpisode[] = [];
    for (const task of tasks)
      episodes.push(await playEpisode(environment, task, random, chooseAs(player, random, task), limit));
    return episodes;
  };
  const played = await onInstance({ create }, async (environment) => {
    const randomEpisodes = await play(environment, 'random', resolved.turns);
    const oracleTurns = Math.max(200, 2 * (world.maxTurns ?? 0));
    const hasOracle = world.experts?.includes('oracle') === true;
    const oracleEpisodes = hasOracle ? await play(environment, 'oracle', oracleTurns) : [];
    return { randomEpisodes, oracleEpisodes };
  });
  let other: Promise<World> | undefined;
  const { contribution, options } = subject;
  const opened = { world, open, other: () => (other ??= open()), create };
  return { contribution, options, settings: resolved, random, tasks, ...opened, ...played };
}
