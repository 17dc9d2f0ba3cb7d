import { isLive, printable } from './terminal-style.js';

/** Where progress is shown. */
export interface DisplayOptions {
  /** `--json`: shows nothing but what a user must know. */
  readonly quiet: boolean;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly environment: { readonly [name: string]: string | undefined };
}

/** Displays events of work that is under way. */
export interface Display<Event> {
  event(event: Event): void;
  /** Restores the terminal. Call it once in every case. */
  close(): Promise<void>;
}

/** Seconds between two lines about the same work, in a pipe or a log. */
export const secondsBetweenLines = 10;

/** Live lines, if a person watches a terminal; undefined in pipes and logs. */
export async function liveDisplay({ quiet, stdout, stderr, environment }: DisplayOptions) {
  if (quiet || !isLive(stdout, stderr, environment)) return undefined;
  return (await import('./live-lines.js')).liveLines;
}

/** Prints lines to standard error. */
export function linePrinter({ stderr }: Pick<DisplayOptions, 'stderr'>): (line: string) => void {
  return (line) => void stderr.write(`${printable(line)}\n`);
}
