// What the history of a recipe means for the sizes of sequences and batches.
import type { Recipe } from '../config/recipe-schema.js';

/** Most tokens of a sequence that the recipe allows; Infinity: it has no limit. */
export function longestSequence({ policy: { history }, rollout: { maxEpisodeTokens = Infinity } }: Recipe): number {
  return history !== undefined && typeof history === 'object' && 'tokens' in history
    ? Math.min(history.tokens, maxEpisodeTokens)
    : maxEpisodeTokens;
}

/** Most sequences of an episode of this many turns, if the template keeps what was sampled. */
export function mostSequences({ policy: { history = 'full' } }: Recipe, turns: number): number {
  if (history === 'full') return 1;
  return 'turns' in history ? Math.max(1, turns - history.turns) : turns;
}
