import type { TransferEvent } from '../transfers/transfer-event.js';
import { linePrinter, liveDisplay, secondsBetweenLines, type Display, type DisplayOptions } from './display-options.js';
import type { LiveLine, LiveLines } from './live-lines.js';
import { TransferLines } from './transfer-lines.js';

/** Live lines on a terminal, and plain lines on standard error elsewhere. */
export async function showTransfer(options: DisplayOptions): Promise<Display<TransferEvent>> {
  if (options.quiet) return { event: () => undefined, close: () => Promise.resolve() };
  const liveLines = await liveDisplay(options);
  if (liveLines !== undefined) return liveTransfer(liveLines);
  return plainTransfer(linePrinter(options), () => performance.now());
}

/** One line for each file. They appear when the files are known. */
function liveTransfer(liveLines: (titles: readonly string[]) => LiveLines): Display<TransferEvent> {
  const told = new TransferLines();
  const lineOf = new Map<string, LiveLine | undefined>();
  let done: Promise<unknown> = Promise.resolve();
  return {
    event(event) {
      const now = performance.now();
      told.take(event, now);
      if (event.type === 'planned') {
        const names = event.files.map(({ name }) => name);
        const live = liveLines(names.map((name) => told.progress(name, now)));
        for (const [i, name] of names.entries()) lineOf.set(name, live.lines[i]);
        done = live.done;
        return;
      }
      const line = lineOf.get(event.name);
      if (event.type === 'progress') return line?.title(told.progress(event.name, now));
      line?.title(told.finished(event.name, event.outcome));
      line?.end();
    },
    async close() {
      // A line that has ended stays so.
      for (const line of lineOf.values()) line?.end('skipped');
      await done;
    },
  };
}

/** A line for the size of all files, for each finished file, and one every few seconds between. */
export function plainTransfer(print: (line: string) => void, now: () => number): Display<TransferEvent> {
  const lines = new TransferLines();
  let printedAt = now();
  return {
    event(event) {
      lines.take(event, now());
      if (event.type === 'planned') print(lines.planned());
      else if (event.type === 'finished') print(lines.finished(event.name, event.outcome));
      else if (event.type === 'progress' && now() - printedAt >= 1000 * secondsBetweenLines) {
        print(lines.progress(event.name, now()));
        printedAt = now();
      }
    },
    close: () => Promise.resolve(),
  };
}
