import { type EpisodeTicker, tickEpisodes } from './episode-progress.js';
import { isLive, printable } from './terminal-style.js';

export interface EpisodesDisplay extends Omit<EpisodeTicker, 'close'> {
  /** Restores the terminal. Call it once in every case. */
  close(): Promise<void>;
}

export interface EpisodesOptions {
  /** `--json`: shows nothing. */
  readonly quiet: boolean;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly environment: { readonly [name: string]: string | undefined };
}

const secondsBetweenLines = 10;

/** Shows what `work` plays: a live line on a terminal, and a plain line on standard error every ten seconds elsewhere. */
export async function showEpisodes<T>(
  options: EpisodesOptions,
  work: (display: EpisodesDisplay) => Promise<T>,
): Promise<T> {
  const display = await openDisplay(options);
  try {
    return await work(display);
  } finally {
    await display.close();
  }
}

async function openDisplay({ quiet, stdout, stderr, environment }: EpisodesOptions): Promise<EpisodesDisplay> {
  if (quiet) return { begin: () => undefined, take: () => undefined, close: () => Promise.resolve() };
  if (!isLive(stdout, stderr, environment)) {
    const ticker = tickEpisodes((line) => void stderr.write(`${printable(line)}\n`), secondsBetweenLines);
    return { ...ticker, close: () => Promise.resolve(ticker.close()) };
  }
  const { terminalEpisodes } = await import('./terminal-episodes.js');
  return terminalEpisodes();
}
