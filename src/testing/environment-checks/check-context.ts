import type { Environment, SplitName, TaskSplits } from '../../contracts/environment.js';
import type { EnvironmentContribution } from '../../contracts/plugin.js';
import type { Random } from '../../contracts/random.js';
import type { KitCheck } from '../conformance-kit.js';
import type { MalformedAnswer } from './play-malformed.js';
import type { ResolvedSettings } from './environment-subject.js';
import type { PlayedEpisode } from './play-episode.js';

export const splitNames = ['train', 'validation', 'test'] as const satisfies readonly SplitName[];

/** A task that the kit plays. */
export interface SampledTask {
  readonly split: SplitName;
  readonly task: string;
}

/** What every check is given. Episodes are played once and shared. */
export interface CheckContext {
  readonly contribution: Pick<EnvironmentContribution, 'name' | 'facts' | 'progressFalls' | 'maxTurns'>;
  readonly settings: ResolvedSettings;
  readonly options: unknown;
  readonly random: Random;
  /** Asks the environment for its splits anew. */
  tasks(): TaskSplits;
  /** A new instance, disposed of when the kit is through. */
  create(): Promise<Environment>;
  /** A new instance that the check disposes of itself. */
  createUnowned(): Promise<Environment>;
  readonly sample: readonly SampledTask[];
  /** Episodes of the random baseline, one for each sampled task. */
  readonly randomEpisodes: readonly PlayedEpisode[];
  /** Episodes of the oracle, one for each sampled task; absent where there is none. */
  readonly oracleEpisodes: readonly PlayedEpisode[] | undefined;
  /** Malformed actions and what became of them; played when they are first asked for. */
  malformed(): Promise<readonly MalformedAnswer[]>;
}

export type EnvironmentCheck = KitCheck<CheckContext>;
