import type { ConversationEncoder } from '../contracts/policy.js';
import type { Episode } from '../contracts/trajectory.js';

/** Adds the text of each token to episodes for the record; episodes without tokens stay as they are. */
export function showPieces(episodes: readonly Episode[], encoder: ConversationEncoder): Episode[] {
  return episodes.map((episode) => {
    if (episode.status === 'failed' || episode.sequences === undefined) return episode;
    const sequences = episode.sequences.map((record) => ({
      ...record,
      pieces: record.tokens.map((token) => encoder.piece(token)),
    }));
    return { ...episode, sequences };
  });
}
