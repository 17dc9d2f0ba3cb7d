import type { EpisodeCounts } from '../rollout/episode-counts.js';
import { formatCount, formatSeconds, formatShare } from './format-quantity.js';

/** The state of played episodes in one line. It reads no clock; times are milliseconds of any monotonic one. */
export class EpisodeProgress {
  #counts: EpisodeCounts | undefined;
  /** When they were taken. A rate by a later time would fall while a model writes answers for all episodes at once. */
  #at = 0;

  /** @param what who plays, or what is done before that */
  constructor(
    private readonly what: string,
    private readonly start: number,
  ) {}

  take(counts: EpisodeCounts, now: number): void {
    this.#counts = counts;
    this.#at = now;
  }

  /**
   * "random: 120 of 200 episodes, 40 solved, 480 turns, 41 tokens/s, 2 min 05 s left". Of episodes that are played side
   * by side, short ones end first, and those are often solved. So a share is told only of all episodes.
   */
  describe(now: number): string {
    const seconds = (now - this.start) / 1000;
    if (this.#counts === undefined) return `${this.what}, ${formatSeconds(seconds)} so far`;
    const { episodes, failed, played, succeeded, tokens, turns } = this.#counts;
    const ended = played + failed;
    const parts = [`${formatCount(ended)} of ${formatCount(episodes)} episodes`];
    if (played > 0) {
      const solved = ended < episodes ? formatCount(succeeded) : formatShare(succeeded / played);
      parts.push(`${solved} solved`);
    }
    if (turns === 0) return `${this.what}: ${parts.join(', ')}, no turn yet after ${formatSeconds(seconds)}`;
    parts.push(`${formatCount(turns)} turns`);
    const taken = (this.#at - this.start) / 1000;
    if (tokens > 0 && taken > 0) parts.push(`${formatRate(tokens / taken)} tokens/s`);
    if (ended < episodes) {
      const left = turnsLeft(this.#counts);
      const secondsLeft = (left.turns * taken) / turns - (seconds - taken);
      parts.push(`${left.isBound ? 'at most ' : ''}${formatSeconds(secondsLeft)} left`);
    }
    return `${this.what}: ${parts.join(', ')}`;
  }
}

/**
 * Turns that the other episodes still need: until half of all have ended, at most as many as the horizon allows, then
 * as many as the ended ones had. Each of the others has a turn left, so if they are longer than the ended ones, the
 * horizon bounds them again.
 */
function turnsLeft(counts: EpisodeCounts): { readonly turns: number; readonly isBound: boolean } {
  const { episodes, failed, horizon, played, playedTurns, turns } = counts;
  const others = episodes - failed - played;
  const soFar = turns - playedTurns;
  const usual = (others * playedTurns) / Math.max(1, played) - soFar;
  if (played + failed >= episodes / 2 && usual >= others) return { turns: usual, isBound: false };
  return { turns: Math.max(others, others * horizon - soFar), isBound: true };
}

function formatRate(rate: number): string {
  return rate < 10 ? rate.toFixed(1) : formatCount(rate);
}

/** Tells the state of played episodes now and then. */
export interface EpisodeTicker {
  /** Says who plays from now on, or what is done. */
  begin(what: string): void;
  take(counts: EpisodeCounts): void;
  /** Call it once in every case. */
  close(): void;
}

/** Tells the state every few seconds, also while a single call of a model takes longer. */
export function tickEpisodes(tell: (line: string) => void, seconds: number): EpisodeTicker {
  const now = () => performance.now();
  let progress: EpisodeProgress | undefined;
  const timer = setInterval(() => {
    if (progress !== undefined) tell(progress.describe(now()));
  }, 1000 * seconds);
  // A display keeps no process alive.
  timer.unref();
  return {
    begin: (what) => (progress = new EpisodeProgress(what, now())),
    take: (counts) => progress?.take(counts, now()),
    close: () => clearInterval(timer),
  };
}
