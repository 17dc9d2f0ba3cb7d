import { channelProgress, channelValue, channelVariable } from './channel-progress.js';
import { plainProgress } from './plain-progress.js';
import type { ProgressDisplay } from './progress-display.js';
import { isLive, printable } from './terminal-style.js';

export interface ProgressOptions {
  /** Names of the recipe's stages, in order. */
  readonly stages: readonly string[];
  /** `--json`: shows only warnings. */
  readonly quiet: boolean;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly environment: { readonly [name: string]: string | undefined };
}

/**
 * Live tasks on a terminal, and plain lines on standard error elsewhere. If the parent process shows the progress,
 * events are sent to it.
 */
export async function showProgress(options: ProgressOptions): Promise<ProgressDisplay> {
  const { stages, quiet, stdout, stderr, environment } = options;
  const print = (line: string) => void stderr.write(`${printable(line)}\n`);
  if (environment[channelVariable] === channelValue && process.send !== undefined) {
    return channelProgress((event) => void process.send?.(event));
  }
  const lines = plainProgress(print, () => performance.now());
  if (quiet) {
    return { event: (event) => event.type === 'warning' && lines.event(event), close: () => Promise.resolve() };
  }
  if (!isLive(stdout, stderr, environment)) return lines;
  const { terminalTasks } = await import('./terminal-tasks.js');
  return terminalTasks(stages, print);
}
