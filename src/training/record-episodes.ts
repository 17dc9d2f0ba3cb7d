import type { Random } from '../contracts/random.js';
import type { CompletedEpisode, Episode } from '../contracts/trajectory.js';

/**
 * Selects the episodes of a step to keep, by seed and in order, including every failed one. Whole groups fill up to
 * half of `count`, or one group if only one fits, so that readers can compare plays of one task; then single episodes,
 * so that many tasks are shown.
 */
export function recordEpisodes(episodes: readonly Episode[], count: number, random: Random): Episode[] {
  const groups = membersOf(episodes);
  const shuffled = random.shuffle([...groups.values()].flat());
  const chosen = new Set<Episode>();
  for (const group of new Set(shuffled.map((episode) => episode.group))) {
    const members = groups.get(group) ?? [];
    if (chosen.size + members.length > (chosen.size === 0 ? count : count / 2)) continue;
    for (const member of members) chosen.add(member);
  }
  for (const episode of shuffled) if (chosen.size < count) chosen.add(episode);
  return episodes.filter((episode) => episode.status === 'failed' || chosen.has(episode));
}

/** Adds to each recorded episode the returns of its whole group, including members that are not recorded. */
export function withGroupReturns(recorded: readonly Episode[], all: readonly Episode[]): Episode[] {
  const groups = membersOf(all);
  return recorded.map((episode) =>
    episode.status === 'failed'
      ? episode
      : { ...episode, groupReturns: (groups.get(episode.group) ?? []).map((member) => member.return) },
  );
}

/** The completed episodes of each group. */
function membersOf(episodes: readonly Episode[]): Map<number, CompletedEpisode[]> {
  const groups = new Map<number, CompletedEpisode[]>();
  for (const episode of episodes) {
    if (episode.status === 'failed') continue;
    groups.set(episode.group, [...(groups.get(episode.group) ?? []), episode]);
  }
  return groups;
}
