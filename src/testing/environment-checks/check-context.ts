import type { Environment, SplitName, World } from '../../contracts/environment.js';
import type { Random } from '../../contracts/random.js';
import type { KitCheck } from '../conformance-kit.js';
import type { EnvironmentSubject, ResolvedSettings } from './environment-subject.js';
import type { MalformedAnswer } from './play-malformed.js';
import type { CheckedEpisode } from './play-episode.js';

export const splitNames = ['train', 'validation', 'test'] as const satisfies readonly SplitName[];

/** A task that the kit plays. */
export interface SampledTask {
  readonly split: SplitName;
  readonly task: string;
}

/** What every check is given. Episodes are played once and shared. */
export interface CheckContext {
  readonly contribution: EnvironmentSubject<unknown>['contribution'];
  readonly settings: ResolvedSettings;
  readonly options: unknown;
  readonly random: Random;
  /** The world in which the episodes below were played; closed when the kit is through. */
  readonly world: World;
  /** Instances of it grade episodes that the host cuts. */
  readonly concludes: boolean;
  /** A world opened apart, the same for all checks; closed when the kit is through. */
  otherWorld(): Promise<World>;
  /** A new world that the check closes itself. */
  openUnowned(): Promise<World>;
  /** A new instance, disposed of after the check; of `world`, unless another is given. */
  create(world?: World): Promise<Environment>;
  /** A new instance that the check disposes of itself. */
  createUnowned(world?: World): Promise<Environment>;
  readonly sample: readonly SampledTask[];
  /** Episodes of the random baseline, one for each sampled task. */
  readonly randomEpisodes: readonly CheckedEpisode[];
  /** Episodes of the oracle, one for each sampled task; absent where there is none. */
  readonly oracleEpisodes: readonly CheckedEpisode[] | undefined;
  /** Malformed actions and what became of them; played when they are first asked for. */
  malformed(): Promise<readonly MalformedAnswer[]>;
  /** What a fresh process plays, line by line; played when it is first asked for. */
  freshReplay(): Promise<readonly string[]>;
}

export type EnvironmentCheck = KitCheck<CheckContext>;

/**
 * A check that plays episodes again: it has nothing to say of a world of others, which may answer the same actions
 * otherwise.
 */
export function repeatable(check: EnvironmentCheck): EnvironmentCheck {
  return {
    ...check,
    idle: (context) => (context.world.external === true ? 'the world is external' : check.idle?.(context)),
  };
}

/** Episodes that nothing cut off. */
export function unthrown(episodes: readonly CheckedEpisode[]): readonly CheckedEpisode[] {
  return episodes.filter(({ thrown }) => thrown === undefined);
}

/** All episodes that were played for the checks. */
export function allEpisodes({ randomEpisodes, oracleEpisodes = [] }: CheckContext): readonly CheckedEpisode[] {
  return [...randomEpisodes, ...oracleEpisodes];
}

/** Plays on a new instance, which is disposed of: a world may have few at once. */
export async function onInstance<T>(context: CheckContext, play: (environment: Environment) => Promise<T>): Promise<T> {
  const environment = await context.createUnowned();
  try {
    return await play(environment);
  } finally {
    // What it throws is told of by the check of it.
    await Promise.resolve()
      .then(() => environment.dispose?.())
      .catch(() => undefined);
  }
}

/** Most instances at once. */
export function instanceLimit({ contribution }: CheckContext): number {
  return contribution.play?.instances ?? Infinity;
}
