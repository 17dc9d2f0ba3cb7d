import type { ConversationEncoder } from '../contracts/policy.js';
import type { Episode } from '../contracts/trajectory.js';

/** Episodes for the record, each of their tokens also as text; those of players without tokens as they are. */
export function showPieces(episodes: readonly Episode[], encoder: ConversationEncoder): Episode[] {
  return episodes.map((episode) => {
    if (episode.status === 'failed' || episode.record === undefined) return episode;
    const pieces = episode.record.tokens.map((token) => encoder.piece(token));
    return { ...episode, record: { ...episode.record, pieces } };
  });
}
