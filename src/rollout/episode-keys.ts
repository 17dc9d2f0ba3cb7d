import type { EpisodeKey } from '../contracts/trajectory.js';

/**
 * The keys of episodes that play each task so many times, one after the other.
 *
 * @param first place among all keys of the first one
 * @param many default: all from there
 */
export function episodeKeys(
  tasks: readonly string[],
  episodesPerTask: number,
  first = 0,
  many = tasks.length * episodesPerTask - first,
): readonly EpisodeKey[] {
  return Array.from({ length: many }, (_, index) => {
    const group = Math.floor((first + index) / episodesPerTask);
    return { iteration: 0, task: tasks[group] as string, group, member: (first + index) % episodesPerTask };
  });
}
