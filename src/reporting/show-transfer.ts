import type { TransferEvent } from '../transfers/transfer-event.js';
import { isLive, printable } from './terminal-style.js';
import { TransferLines } from './transfer-lines.js';

/** Displays the progress of a transfer. */
export interface TransferDisplay {
  event(event: TransferEvent): void;
  /** Restores the terminal. Call it once in every case. */
  close(): Promise<void>;
}

export interface TransferOptions {
  /** `--json`: shows nothing. */
  readonly quiet: boolean;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly environment: { readonly [name: string]: string | undefined };
}

const secondsBetweenLines = 10;

/** Live lines on a terminal, and plain lines on standard error elsewhere. */
export async function showTransfer({ quiet, stdout, stderr, environment }: TransferOptions): Promise<TransferDisplay> {
  if (quiet) return { event: () => undefined, close: () => Promise.resolve() };
  if (!isLive(stdout, stderr, environment))
    return plainTransfer(
      (line) => void stderr.write(`${printable(line)}\n`),
      () => performance.now(),
    );
  const { terminalTransfer } = await import('./terminal-transfer.js');
  return terminalTransfer();
}

/** A line for the size of all files, for each finished file, and one every few seconds between. */
export function plainTransfer(print: (line: string) => void, now: () => number): TransferDisplay {
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
