import { AgentgymError } from '../errors/agentgym-error.js';
import { readPieces } from './read-pieces.js';

/** A line of a log, its number from 1, and its end in the file, after its line feed. */
export interface JsonLine<T> {
  readonly document: T;
  readonly number: number;
  readonly end: number;
}

const lineFeed = 10;

/**
 * The whole lines of a JSONL file, one by one, so that the file may be larger than memory; an incomplete last line is
 * left out. Only line feeds end lines, because JSON may contain the line separators of Unicode.
 *
 * @param bytes number of bytes to read; absent: all
 * @throws AG_RUN_DAMAGED, naming a line that is not JSON
 */
export async function* readJsonLines<T>(path: string, bytes?: number): AsyncGenerator<JsonLine<T>> {
  if (bytes === 0) return;
  let rest: Buffer[] = [];
  let end = 0;
  let number = 0;
  const parse = (line: Buffer): JsonLine<T> => {
    number++;
    end += line.length + 1;
    try {
      return { document: JSON.parse(line.toString('utf8')) as T, number, end };
    } catch (error) {
      const message = `Line ${number} of ${path} is not JSON.`;
      throw new AgentgymError('AG_RUN_DAMAGED', { message, file: path, line: number, cause: error });
    }
  };
  for await (const chunk of readPieces(path, bytes)) {
    let start = 0;
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, start)) {
      const line = Buffer.concat([...rest, chunk.subarray(start, at)]);
      rest = [];
      start = at + 1;
      yield parse(line);
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
  }
}
