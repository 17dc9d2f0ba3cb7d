import type { CompletedEpisode } from '../../contracts/trajectory.js';

/** A completed episode of a run's log, and its place there. */
export interface RecordedEpisode extends CompletedEpisode {
  readonly stage: string;
  readonly step: number;
}

/** An environment of a run, and what was told in it. */
export interface SourceEntry {
  readonly environment: { readonly name: string; readonly options: object };
  /** The text before the first observation of an episode. */
  readonly system: (episode: RecordedEpisode) => string;
}

/** What the documents of a run's episodes share. */
export interface EpisodeSource {
  readonly run: string;
  /** Version of this tool. */
  readonly version: string;
  readonly policy: string;
  /** The environment of an episode. */
  readonly entryOf: (episode: RecordedEpisode) => SourceEntry;
}

/** Names an episode within its run. */
export function episodeId({ group, member, stage, step }: RecordedEpisode): string {
  return [stage, step, group, member].join('/');
}
