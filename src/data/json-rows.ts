// Rows in lines of JSON. Line ends are LF or CRLF, the last one may be missing; a byte-order mark is skipped. Empty lines
// are allowed at the end only, so that a row's number is the number of its line.
import { isUtf8 } from 'node:buffer';

import { messageOf } from '../errors/message-of.js';
import { dataError } from './data-error.js';
import type { OpenedFile } from './opened-file.js';
import { RecentlyUsed } from './recently-used.js';
import type { RawRow, RowBatch, RowFile } from './rows.js';

const pieceBytes = 2 ** 22;
/** Longer lines are no rows of a data set, and memory must hold one. */
const longestLine = 2 ** 26;
/** Neighbours are read together. */
const blockRows = 32;
const keptBlocks = 16;
const lineFeed = 10;
const byteOrderMark = Buffer.from('\uFEFF');

/** The rows of a file of JSON lines. */
export function jsonRows(file: OpenedFile): RowFile {
  const blocks = new RecentlyUsed<number, Promise<Buffer>>(keptBlocks);
  return {
    lines: true,
    scan: (signal) => scan(file, signal),
    async row(row, { rows, startOf }) {
      const block = Math.floor(row / blockRows);
      const start = startOf(block * blockRows);
      const end = startOf(Math.min((block + 1) * blockRows, rows));
      const bytes = await blocks.get(block, () => file.read(start, end));
      return JSON.parse(bytes.toString('utf8', startOf(row) - start, startOf(row + 1) - start)) as RawRow;
    },
  };
}

async function* scan(file: OpenedFile, signal: AbortSignal): AsyncGenerator<RowBatch> {
  const lines = new LineReader(file.path);
  let rest: Buffer = Buffer.alloc(0);
  for (let done = 0; done < file.bytes;) {
    signal.throwIfAborted();
    const piece = await file.read(done, Math.min(done + pieceBytes, file.bytes));
    done += piece.length;
    const bytes = Buffer.concat([rest, piece]);
    const end = done === file.bytes ? bytes.length : bytes.lastIndexOf(lineFeed) + 1;
    yield lines.read(bytes.subarray(0, end), done - bytes.length);
    rest = bytes.subarray(end);
    if (rest.length > longestLine) {
      const problem = `has more than ${longestLine} bytes`;
      throw lines.error(problem, 'Write one JSON object a line, and keep large values in files of their own.');
    }
  }
}

/** Reads whole lines, the last one of the file with or without its end. */
class LineReader {
  #rows = 0;
  /** The first empty line after the last row. */
  #empty: number | undefined;

  constructor(readonly path: string) {}

  /** @param offset of the bytes in the file */
  read(bytes: Buffer, offset: number): RowBatch {
    const isText = isUtf8(bytes);
    const batch = { rows: [] as RawRow[], starts: [] as number[] };
    let start =
      offset === 0 && bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? byteOrderMark.length : 0;
    while (start < bytes.length) {
      const found = bytes.indexOf(lineFeed, start);
      const end = found < 0 ? bytes.length : found;
      if (!isText && !isUtf8(bytes.subarray(start, end))) {
        throw this.error('is not valid UTF-8', `Convert the file, for example with \`iconv -t utf-8\`.`);
      }
      const row = this.#parse(bytes.toString('utf8', start, end), found < 0);
      if (row !== undefined) {
        batch.rows.push(row);
        batch.starts.push(offset + start);
      }
      start = end + 1;
    }
    return batch;
  }

  /** An error in the row after those that were read. */
  error(problem: string, hint: string, cause?: unknown): Error {
    return dataError(this.path, { problem, hint, row: this.#rows + 1, lines: true, cause });
  }

  /** The row of a line; undefined if the line is empty. `isLast`: the file ends in it, without a line end. */
  #parse(line: string, isLast: boolean): RawRow | undefined {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (cause) {
      if (line.trim() === '') {
        this.#empty ??= this.#rows + 1;
        return undefined;
      }
      throw this.error(`is not JSON (${messageOf(cause)})`, isLast ? truncated : objectPerLine, cause);
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw this.error(`is ${Array.isArray(value) ? 'a list' : 'a single value'}, not a JSON object`, objectPerLine);
    }
    if (this.#empty !== undefined) {
      throw this.error('is an empty line', 'Remove empty lines: the number of a row is the number of its line.');
    }
    this.#rows += 1;
    return value as RawRow;
  }
}

const truncated = 'The file ends in this row without a line end, as truncated files do: download or write it again.';
const objectPerLine = "Write one JSON object a line; `jq -c '.[]' FILE` does this with a file that is one JSON list.";
