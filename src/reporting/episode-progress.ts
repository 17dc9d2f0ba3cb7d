import { formatCount, formatSeconds, formatShare } from './format-quantity.js';

/** Counts of a collection that is under way. */
interface EpisodeCounts {
  /** Episodes to play. */
  readonly episodes: number;
  readonly played: number;
  readonly succeeded: number;
  readonly failed: number;
}

/**
 * Prints how far a collection of episodes is, with the rate, the success so far and the time left.
 *
 * @param now clock in milliseconds
 * @param seconds least time between two lines
 */
export function episodeProgress(print: (line: string) => void, now: () => number, seconds: number) {
  const start = now();
  let printedAt = start;
  return ({ episodes, played, succeeded, failed }: EpisodeCounts): void => {
    const time = now();
    const done = played + failed;
    if (done === episodes || done === 0 || time - printedAt < seconds * 1000) return;
    printedAt = time;
    const rate = (1000 * done) / (time - start);
    const success = played === 0 ? '' : `, ${formatShare(succeeded / played)} solved`;
    const left = formatSeconds((episodes - done) / rate);
    print(`${formatCount(done)} of ${formatCount(episodes)} episodes, ${rate.toFixed(0)}/s${success}, ${left} left`);
  };
}
