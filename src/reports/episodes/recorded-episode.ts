import type { CompletedEpisode } from '../../contracts/trajectory.js';

/** A completed episode of a run's log, and its place there. */
export interface RecordedEpisode extends CompletedEpisode {
  readonly stage: string;
  readonly step: number;
}

/** What the documents of a run's episodes share. */
export interface EpisodeSource {
  readonly run: string;
  /** Version of this tool. */
  readonly version: string;
  readonly environment: { readonly name: string; readonly options: object };
  readonly policy: string;
  /** The text before the first observation of an episode. */
  readonly system: (episode: RecordedEpisode) => string;
}

/** Names an episode within its run. */
export function episodeId({ group, member, stage, step }: RecordedEpisode): string {
  return [stage, step, group, member].join('/');
}
