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
   * "random: 12 of 200 episodes, 33.3 % solved, 48 turns, 41 tokens/s, 2 min 05 s left". The time left counts turns, because
   * episodes that are played side by side all end late; until one has ended, they may have as many as the horizon.
   */
  describe(now: number): string {
    const seconds = (now - this.start) / 1000;
    if (this.#counts === undefined) return `${this.what}, ${formatSeconds(seconds)} so far`;
    const { episodes, failed, horizon, played, playedTurns, succeeded, tokens, turns } = this.#counts;
    const ended = played + failed;
    const parts = [`${formatCount(ended)} of ${formatCount(episodes)} episodes`];
    if (played > 0) parts.push(`${formatShare(succeeded / played)} solved`);
    if (turns === 0) return `${this.what}: ${parts.join(', ')}, no turn yet after ${formatSeconds(seconds)}`;
    parts.push(`${formatCount(turns)} turns`);
    const taken = (this.#at - this.start) / 1000;
    if (tokens > 0 && taken > 0) parts.push(`${formatRate(tokens / taken)} tokens/s`);
    const turnsLeft = Math.max(0, (played > 0 ? playedTurns / played : horizon) * (episodes - failed) - turns);
    const left = (turnsLeft * taken) / turns - (seconds - taken);
    parts.push(`${played > 0 ? '' : 'at most '}${formatSeconds(left)} left`);
    return `${this.what}: ${parts.join(', ')}`;
  }
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
