import { linePrinter, liveDisplay, secondsBetweenLines, type DisplayOptions } from './display-options.js';
import { type EpisodeTicker, tickEpisodes } from './episode-progress.js';

export interface EpisodesDisplay extends Omit<EpisodeTicker, 'close'> {
  /** Restores the terminal. Call it once in every case. */
  close(): Promise<void>;
}

/** Shows what `work` plays: a live line on a terminal, and a plain line on standard error every ten seconds elsewhere. */
export async function showEpisodes<T>(
  options: DisplayOptions,
  work: (display: EpisodesDisplay) => Promise<T>,
): Promise<T> {
  const display = await openDisplay(options);
  try {
    return await work(display);
  } finally {
    await display.close();
  }
}

async function openDisplay(options: DisplayOptions): Promise<EpisodesDisplay> {
  if (options.quiet) return { begin: () => undefined, take: () => undefined, close: () => Promise.resolve() };
  const liveLines = await liveDisplay(options);
  if (liveLines === undefined) {
    const ticker = tickEpisodes(linePrinter(options), secondsBetweenLines);
    return { ...ticker, close: () => Promise.resolve(ticker.close()) };
  }
  // The line is gone when the results are printed.
  const { lines, done } = liveLines(['Preparation'], { isCleared: true });
  const ticker = tickEpisodes((text) => lines[0]?.title(text), 1);
  return {
    begin(what) {
      lines[0]?.title(what);
      ticker.begin(what);
    },
    take: (counts) => ticker.take(counts),
    async close() {
      ticker.close();
      lines[0]?.end();
      await done;
    },
  };
}
