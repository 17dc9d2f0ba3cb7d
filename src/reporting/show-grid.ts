import { linePrinter, liveDisplay, type Display, type DisplayOptions } from './display-options.js';
import { formatSeconds } from './format-quantity.js';
import { type GridEvent, GridProgress } from './grid-progress.js';
import type { LiveLine, LiveLines } from './live-lines.js';

export interface GridDisplayOptions extends DisplayOptions {
  /** Ids of the cells, in order. */
  readonly cells: readonly string[];
  /** Runs of each cell. */
  readonly seeds: number;
  readonly workers: number;
}

/** On a terminal, one live line per cell; elsewhere, one line for each start and end. */
export async function showGrid(options: GridDisplayOptions): Promise<Display<GridEvent>> {
  const { cells, seeds, workers, quiet } = options;
  const progress = new GridProgress(cells, seeds, workers, performance.now());
  const print = linePrinter(options);
  const liveLines = await liveDisplay(options);
  if (liveLines === undefined) return plainGrid(progress, quiet, print);
  const titles = cells.map((id) => progress.describe(id));
  return liveGrid(progress, liveLines([...titles, progress.summary(performance.now())]), print);
}

/** One line per cell, and one for the whole grid. Remarks are printed when the lines no longer move. */
function liveGrid(
  progress: GridProgress,
  { lines, done }: LiveLines,
  print: (line: string) => void,
): Display<GridEvent> {
  const remarks = new Set<string>();
  const lineOf = new Map<string, LiveLine | undefined>(progress.cells.map((id, i) => [id, lines[i]]));
  const whole = lines.at(-1);
  return {
    event(event) {
      const now = performance.now();
      progress.take(event, now);
      lineOf.get(event.cell)?.title(progress.describe(event.cell));
      whole?.title(progress.summary(now));
      const remark = remarkOn(event);
      if (remark !== undefined) remarks.add(remark);
      if (progress.isDone(event.cell)) lineOf.get(event.cell)?.end();
    },
    async close() {
      for (const [id, line] of lineOf) if (!progress.isDone(id)) line?.end('skipped');
      whole?.end();
      await done;
      for (const remark of remarks) print(remark);
    },
  };
}

function plainGrid(progress: GridProgress, quiet: boolean, print: (line: string) => void): Display<GridEvent> {
  return {
    event(event) {
      const now = performance.now();
      progress.take(event, now);
      const run = `${event.cell}, seed ${event.seed}`;
      const remark = remarkOn(event);
      if (remark !== undefined) print(remark);
      else if (quiet) return;
      else if (event.type === 'run-started') print(`${run}: ${event.resumed ? 'continues' : 'starts'}`);
      else if (event.type === 'run-event' && event.event.type === 'stage-finished') {
        const { stage, step, seconds } = event.event;
        print(`${run}: ${stage} ends after step ${step}, ${formatSeconds(seconds)}`);
      } else if (event.type === 'run-ended') print(`${run}: ${event.status}; ${progress.summary(now)}`);
    },
    close: () => Promise.resolve(),
  };
}

/** What a user must know of an event. */
function remarkOn(event: GridEvent): string | undefined {
  const run = `${event.cell}, seed ${event.seed}`;
  if (event.type === 'run-ended' && event.status === 'failed') return `${run}: failed: ${event.cause ?? ''}`;
  return event.type === 'run-event' && event.event.type === 'warning' ? `${run}: ${event.event.message}` : undefined;
}
