import type { Environment, SplitName, World } from '../../contracts/environment.js';
import type { Random } from '../../contracts/random.js';
import type { KitCheck } from '../conformance-kit.js';
import { quietly } from '../quietly.js';
import type { EnvironmentSubject, ResolvedSettings } from './environment-subject.js';
import type { MalformedAnswer } from './play-malformed.js';
import type { CheckedEpisode } from './play-episode.js';

export const splitNames = ['train', 'validation', 'test'] as const satisfies readonly SplitName[];

/** A task that the kit plays. */
export interface SampledTask {
  readonly split: SplitName;
  readonly task: string;
}

/** The input of every check. Episodes are played once and shared. */
export interface CheckContext {
  readonly contribution: EnvironmentSubject<unknown>['contribution'];
  readonly settings: ResolvedSettings;
  readonly options: unknown;
  readonly random: Random;
  /** The world of the episodes below. The kit closes it at its end. */
  readonly world: World;
  /** Whether instances grade episodes that the host cuts. */
  readonly concludes: boolean;
  /** A second world, the same for all checks. The kit closes it at its end. */
  otherWorld(): Promise<World>;
  /** A new world that the check closes itself. */
  openUnowned(): Promise<World>;
  /** A new instance, by default of `world` above. The kit disposes of it after the check. */
  create(world?: World): Promise<Environment>;
  /** A new instance that the check disposes of itself. */
  createUnowned(world?: World): Promise<Environment>;
  readonly sample: readonly SampledTask[];
  /** Episodes of the random baseline, one for each sampled task. */
  readonly randomEpisodes: readonly CheckedEpisode[];
  /** Episodes of the oracle, one for each sampled task; undefined if there is no oracle. */
  readonly oracleEpisodes: readonly CheckedEpisode[] | undefined;
  /** Malformed actions and their results, played at the first call. */
  malformed(): Promise<readonly MalformedAnswer[]>;
  /** The lines of a replay in a fresh process, which starts at the first call. */
  freshReplay(): Promise<readonly string[]>;
}

export type EnvironmentCheck = KitCheck<CheckContext>;

/** A check that replays episodes. It is skipped for external worlds, which may answer the same actions differently. */
export function repeatable(check: EnvironmentCheck): EnvironmentCheck {
  return {
    ...check,
    idle: (context) => (context.world.external === true ? 'the world is external' : check.idle?.(context)),
  };
}

/** Episodes without an exception. */
export function unthrown(episodes: readonly CheckedEpisode[]): readonly CheckedEpisode[] {
  return episodes.filter(({ thrown }) => thrown === undefined);
}

/** All episodes that were played for the checks. */
export function allEpisodes({ randomEpisodes, oracleEpisodes = [] }: CheckContext): readonly CheckedEpisode[] {
  return [...randomEpisodes, ...oracleEpisodes];
}

/** Plays on a new instance and then disposes of it: a world may allow only a few at a time. */
export async function onInstance<T>(context: CheckContext, play: (environment: Environment) => Promise<T>): Promise<T> {
  const environment = await context.createUnowned();
  try {
    return await play(environment);
  } finally {
    await quietly(() => environment.dispose?.());
  }
}

/** Maximum number of instances at a time. */
export function instanceLimit({ contribution }: CheckContext): number {
  return contribution.play?.instances ?? Infinity;
}
