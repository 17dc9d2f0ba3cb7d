import type { ReportEpisode, ReportRun } from '../report-data.js';

/** An episode and where it comes from. */
export interface ListedEpisode {
  readonly run: Pick<ReportRun, 'id' | 'label'>;
  readonly episode: ReportEpisode;
  /** Whether at least one action was malformed or illegal. */
  readonly invalid: boolean;
  /** The text that a search for a task reads, in lower case. */
  readonly text: string;
}

export interface EpisodeFilter {
  /** Empty: all. */
  readonly outcomes: ReadonlySet<ReportEpisode['outcome']>;
  readonly invalidOnly: boolean;
  /** Empty: all. */
  readonly stage: string;
  /** Id of a run; empty: all. */
  readonly run: string;
  /** Steps of the whole run, both ends included. */
  readonly fromStep: number;
  readonly toStep: number;
  /** Words that all occur in the task's id or its first observation. */
  readonly words: string;
  readonly order: 'recorded' | 'best' | 'worst' | 'longest';
}

/** A filter that excludes nothing. */
export const everyEpisode: EpisodeFilter = {
  outcomes: new Set(),
  invalidOnly: false,
  stage: '',
  run: '',
  fromStep: -Infinity,
  toStep: Infinity,
  words: '',
  order: 'recorded',
};

const searchedCharacters = 4000;

/** An episode always gives the same listed object, so that pages which follow a run recognise it. */
const known = new WeakMap<ReportEpisode, ListedEpisode>();

export function listEpisodes(runs: readonly ReportRun[]): ListedEpisode[] {
  return runs.flatMap(({ id, label, episodes }) => {
    const run = { id, label };
    return episodes.map((episode) => {
      const listed = known.get(episode) ?? listEpisode(run, episode);
      known.set(episode, listed);
      return listed;
    });
  });
}

function listEpisode(run: ListedEpisode['run'], episode: ReportEpisode): ListedEpisode {
  return {
    run,
    episode,
    invalid: episode.turns.some(({ facts, malformed }) => facts.invalid || malformed !== undefined),
    text: `${episode.task}\n${(episode.turns[0]?.observation ?? '').slice(0, searchedCharacters)}`.toLowerCase(),
  };
}

export function filterEpisodes(all: readonly ListedEpisode[], filter: EpisodeFilter): ListedEpisode[] {
  const words = filter.words.toLowerCase().split(/\s+/).filter(Boolean);
  const found = all.filter(
    ({ run, episode, invalid, text }) =>
      (filter.outcomes.size === 0 || filter.outcomes.has(episode.outcome)) &&
      (!filter.invalidOnly || invalid) &&
      (filter.stage === '' || episode.stage === filter.stage) &&
      (filter.run === '' || run.id === filter.run) &&
      episode.runStep >= filter.fromStep &&
      episode.runStep <= filter.toStep &&
      words.every((word) => text.includes(word)),
  );
  const value = ({ episode }: ListedEpisode, missing: number) => episode.return ?? missing;
  switch (filter.order) {
    case 'recorded':
      return found;
    case 'best':
      return found.sort((a, b) => value(b, -Infinity) - value(a, -Infinity));
    case 'worst':
      return found.sort((a, b) => value(a, Infinity) - value(b, Infinity));
    case 'longest':
      return found.sort((a, b) => b.episode.turns.length - a.episode.turns.length);
  }
}

/**
 * Other episodes of the same task, the most informative first: the same attempt in the same world, then other stages
 * and runs, then its group.
 */
export function otherPlays(all: readonly ListedEpisode[], of: ListedEpisode): ListedEpisode[] {
  const { run, episode } = of;
  const rank = (other: ListedEpisode) =>
    (isEvaluation(other) === isEvaluation(of) && other.episode.member === episode.member ? 0 : 2) +
    (other.run.id === run.id && other.episode.stage === episode.stage ? 1 : 0);
  return all
    .filter((other) => other !== of && other.episode.task === episode.task)
    .map((other, i) => ({ other, i, rank: rank(other) }))
    .sort((a, b) => a.rank - b.rank || a.i - b.i)
    .map(({ other }) => other);
}

export function isEvaluation({ episode }: ListedEpisode): boolean {
  return episode.stage.startsWith('evaluation.');
}
