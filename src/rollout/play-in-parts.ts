import type { Episode, EpisodeKey } from '../contracts/trajectory.js';
import { collectEpisodes, type CollectOptions } from './collect-episodes.js';
import { addCounts, type EpisodeCounts } from './episode-counts.js';

/** Episodes that are held at the same time, unless more are in flight. */
const episodesAtOnce = 512;

/**
 * Plays one episode for each key, and gives them part by part, in the order of the keys. So memory does not grow with
 * their number. The parts do not affect the episodes.
 *
 * @param keysAt the keys at `many` places, starting with `first`
 * @throws the errors of `collectEpisodes`
 */
export async function* playInParts(
  count: number,
  keysAt: (first: number, many: number) => Promise<readonly EpisodeKey[]>,
  options: CollectOptions,
): AsyncGenerator<readonly Episode[]> {
  const size = Math.max(episodesAtOnce, 2 * options.rollout.inFlight);
  let [before, counts]: (EpisodeCounts | undefined)[] = [];
  const progress = (now: EpisodeCounts): void => {
    counts = before === undefined ? { ...now, episodes: count } : addCounts(before, now, count);
    options.progress?.(counts);
  };
  for (let first = 0; first < count; first += size) {
    const keys = await keysAt(first, Math.min(size, count - first));
    yield await collectEpisodes(keys, { ...options, ...(options.progress && { progress }) });
    before = counts;
  }
}
