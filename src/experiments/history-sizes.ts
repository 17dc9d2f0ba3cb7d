// What the history of a recipe means for the sizes of sequences and batches.
import type { Recipe } from '../config/recipe-schema.js';
import { windowOf } from '../rollout/episode-tokens.js';

/** Most tokens of a sequence that the recipe allows; Infinity: it has no limit. */
export function longestSequence({ policy, rollout: { maxEpisodeTokens = Infinity } }: Recipe): number {
  return Math.min(windowOf(policy.history).tokens, maxEpisodeTokens);
}

/** Most sequences of an episode of this many turns, if the template keeps what was sampled. */
export function mostSequences({ policy: { history } }: Recipe, turns: number): number {
  const window = windowOf(history);
  if (window.tokens < Infinity) return turns;
  return Math.max(1, turns - window.turns + 1);
}
