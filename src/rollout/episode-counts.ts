import type { Episode } from '../contracts/trajectory.js';

/** How far a collection of episodes is. */
export interface EpisodeCounts {
  /** Episodes to play, and the most turns of one. */
  readonly episodes: number;
  readonly horizon: number;
  /** Completed episodes, and those that solved their task. */
  readonly played: number;
  readonly succeeded: number;
  /** Episodes that an infrastructure failure broke. */
  readonly failed: number;
  /** Turns so far, also of episodes that still run and of attempts that broke. */
  readonly turns: number;
  /** Turns of the completed episodes. */
  readonly playedTurns: number;
  /** Sampled tokens of the turns so far. */
  readonly tokens: number;
}

/** Counts what a collection plays, and tells it after every turn and episode. */
export class EpisodeCounter {
  readonly #tell: ((counts: EpisodeCounts) => void) | undefined;
  #counts: EpisodeCounts;

  constructor(episodes: number, horizon: number, tell: ((counts: EpisodeCounts) => void) | undefined) {
    this.#tell = tell;
    this.#counts = {
      ...{ episodes, horizon, played: 0, succeeded: 0, failed: 0 },
      ...{ turns: 0, playedTurns: 0, tokens: 0 },
    };
    tell?.(this.#counts);
  }

  /** @param sampled the place of the sampled tokens, of a player with tokens */
  turn(sampled: readonly [from: number, to: number] | undefined): void {
    const tokens = sampled === undefined ? 0 : sampled[1] - sampled[0];
    this.#change({ turns: this.#counts.turns + 1, tokens: this.#counts.tokens + tokens });
  }

  episode(episode: Episode): void {
    const { played, succeeded, failed, playedTurns } = this.#counts;
    if (episode.status === 'failed') return this.#change({ failed: failed + 1 });
    this.#change({
      played: played + 1,
      succeeded: succeeded + Number(episode.success),
      playedTurns: playedTurns + episode.turns.length,
    });
  }

  #change(counts: Partial<EpisodeCounts>): void {
    this.#counts = { ...this.#counts, ...counts };
    this.#tell?.(this.#counts);
  }
}

/** The counts of several collections, one after another. */
export function addCounts(before: EpisodeCounts, now: EpisodeCounts, episodes: number): EpisodeCounts {
  return {
    episodes,
    horizon: now.horizon,
    played: before.played + now.played,
    succeeded: before.succeeded + now.succeeded,
    failed: before.failed + now.failed,
    turns: before.turns + now.turns,
    playedTurns: before.playedTurns + now.playedTurns,
    tokens: before.tokens + now.tokens,
  };
}
