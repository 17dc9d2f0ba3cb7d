import { createInterface } from 'node:readline';

/** Lines of a person or a file, one at a time. */
export interface LineReader {
  /** The next line after a prompt; undefined at the end of the input, or after `close`. */
  next(prompt: string): Promise<string | undefined>;
  close(): void;
}

/**
 * Reads lines on demand. Lines that came before they were asked for are kept, also when the input has ended by then: on
 * Node 22 and later, a reader that ended refuses to prompt. Input of a pipe is read no further than needed.
 *
 * @param keepsReading for a terminal, where only a reader notices Ctrl-C
 */
export function readLines(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  keepsReading: boolean,
): LineReader {
  const reader = createInterface({ input, output });
  const waiting: string[] = [];
  let ended = false;
  let taken: ((line: string | undefined) => void) | undefined;
  const give = (line: string | undefined) => {
    const take = taken;
    taken = undefined;
    take?.(line);
  };
  reader.on('line', (line) => {
    if (taken === undefined) waiting.push(line);
    else give(line);
    if (!keepsReading && taken === undefined) reader.pause();
  });
  reader.on('close', () => {
    ended = true;
    give(undefined);
  });
  return {
    next(prompt) {
      if (waiting.length > 0 || ended) {
        const line = waiting.shift();
        output.write(keepsReading && line !== undefined ? `${prompt}${line}\n` : prompt);
        return Promise.resolve(line);
      }
      return new Promise((resolve) => {
        taken = resolve;
        reader.setPrompt(prompt);
        reader.prompt();
      });
    },
    close: () => reader.close(),
  };
}
