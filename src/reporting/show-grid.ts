import { formatSeconds } from './format-quantity.js';
import { type GridDisplay, GridProgress } from './grid-progress.js';
import { isLive, printable } from './terminal-style.js';

export interface GridDisplayOptions {
  /** Ids of the cells, in order. */
  readonly cells: readonly string[];
  /** Runs of each cell. */
  readonly seeds: number;
  readonly workers: number;
  /** `--json`: shows only failures and warnings. */
  readonly quiet: boolean;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly environment: { readonly [name: string]: string | undefined };
}

/** On a terminal, one live line per cell; elsewhere, one line for each start and end. */
export async function showGrid(options: GridDisplayOptions): Promise<GridDisplay> {
  const { cells, seeds, workers, quiet, stdout, stderr, environment } = options;
  const progress = new GridProgress(cells, seeds, workers, performance.now());
  const print = (line: string) => void stderr.write(`${printable(line)}\n`);
  if (quiet || !isLive(stdout, stderr, environment)) return plainGrid(progress, quiet, print);
  const { terminalGrid } = await import('./terminal-grid.js');
  return terminalGrid(progress, print);
}

function plainGrid(progress: GridProgress, quiet: boolean, print: (line: string) => void): GridDisplay {
  return {
    event(event) {
      const now = performance.now();
      progress.take(event, now);
      const run = `${event.cell}, seed ${event.seed}`;
      if (event.type === 'run-ended' && event.status === 'failed') print(`${run}: failed: ${event.cause ?? ''}`);
      else if (event.type === 'run-event' && event.event.type === 'warning') print(`${run}: ${event.event.message}`);
      else if (quiet) return;
      else if (event.type === 'run-started') print(`${run}: ${event.resumed ? 'continues' : 'starts'}`);
      else if (event.type === 'run-event' && event.event.type === 'stage-finished') {
        print(
          `${run}: ${event.event.stage} ends after step ${event.event.step}, ${formatSeconds(event.event.seconds)}`,
        );
      } else if (event.type === 'run-ended') print(`${run}: ${event.status}; ${progress.summary(now)}`);
    },
    close: () => Promise.resolve(),
  };
}
