// Reads files that are larger than memory. The bytes are scanned here, because JSON.parse needs a whole value.
import { readPieces } from '../files/read-pieces.js';

/** A value of a file, before it is parsed. */
export interface RawValue {
  /** Undefined if the value has a problem. */
  readonly text?: string;
  readonly problem?: string;
  /** Line in which the value begins, from 1. */
  readonly line: number;
  /** Place in the array, from 1. Absent: the file has a value per line. */
  readonly item?: number;
}

/** Longest value in bytes. A string of Node.js holds four times as many characters. */
const longestValue = 128 << 20;

const [lineFeed, quote, backslash, comma] = [10, 34, 92, 44];
const isSpace = (byte: number): boolean => byte === 32 || (byte >= 9 && byte <= 13);
const isOpening = (byte: number): boolean => byte === 0x7b || byte === 0x5b;
const isClosing = (byte: number): boolean => byte === 0x7d || byte === 0x5d;
const [openingBracket, closingBracket] = [0x5b, 0x5d];
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * The values of a file, one by one: each line of JSONL, or each item of one JSON array. Empty lines are skipped. The
 * scan ends after a value with a problem.
 *
 * @throws AG_FILE_REFUSED, or the error of the operating system if the file cannot be read
 */
export async function* readJsonValues(file: string): AsyncGenerator<RawValue> {
  let scan: LineScan | ArrayScan | undefined;
  let line = 1;
  for await (const read of readPieces(file)) {
    let chunk = read;
    if (scan === undefined) {
      if (chunk.subarray(0, 3).equals(byteOrderMark)) chunk = chunk.subarray(3);
      const start = chunk.findIndex((byte) => !isSpace(byte));
      if (start === -1) {
        line += countLines(chunk);
        continue;
      }
      line += countLines(chunk.subarray(0, start));
      const isArray = chunk[start] === openingBracket;
      scan = isArray ? new ArrayScan(line) : new LineScan(line);
      chunk = chunk.subarray(isArray ? start + 1 : start);
    }
    for (const value of scan.take(chunk)) {
      yield value;
      if (value.problem !== undefined) return;
    }
  }
  if (scan !== undefined) yield* scan.end();
}

function countLines(chunk: Buffer): number {
  let lines = 0;
  for (const byte of chunk) if (byte === lineFeed) lines += 1;
  return lines;
}

/** Parts of a value that was not complete at the end of a chunk. */
class ValueParts {
  #parts: Buffer[] = [];
  #bytes = 0;

  get isTooLong(): boolean {
    return this.#bytes > longestValue;
  }

  add(part: Buffer): void {
    this.#parts.push(part);
    this.#bytes += part.length;
  }

  /** The text of the value, or its problem. */
  take(): Pick<RawValue, 'text' | 'problem'> {
    const value = this.#parts.length === 1 ? (this.#parts[0] as Buffer) : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    if (value.length > longestValue) return { problem: tooLong };
    try {
      return { text: new TextDecoder('utf-8', { fatal: true }).decode(value) };
    } catch {
      return { problem: 'it is not UTF-8' };
    }
  }
}

const tooLong = `it is longer than ${longestValue >> 20} MB`;

class LineScan {
  readonly #parts = new ValueParts();

  constructor(private line: number) {}

  *take(chunk: Buffer): Generator<RawValue> {
    let start = 0;
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, start)) {
      this.#parts.add(chunk.subarray(start, at));
      start = at + 1;
      yield* this.end();
      this.line += 1;
    }
    this.#parts.add(chunk.subarray(start));
    if (this.#parts.isTooLong) yield { problem: tooLong, line: this.line };
  }

  *end(): Generator<RawValue> {
    const { text, problem } = this.#parts.take();
    if (problem !== undefined) yield { problem, line: this.line };
    else if (text !== undefined && text.trim() !== '') yield { text, line: this.line };
  }
}

/** Finds the commas between the items of an array: those outside of strings and of nested values. */
class ArrayScan {
  readonly #parts = new ValueParts();
  /** Line in which the present item begins; undefined between items. */
  #itemLine: number | undefined;
  #item = 1;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #closed = false;

  constructor(private line: number) {}

  *take(chunk: Buffer): Generator<RawValue> {
    // The loop reads every byte of the file, and local variables are faster than fields.
    let [depth, inString, escaped] = [this.#depth, this.#inString, this.#escaped];
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (byte === lineFeed) this.line += 1;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === backslash) escaped = true;
        else if (byte === quote) inString = false;
        continue;
      }
      if (isSpace(byte)) continue;
      if (this.#closed) {
        yield { problem: 'text follows the end of the array', line: this.line, item: this.#item };
        return;
      }
      const ends = depth === 0 && (byte === comma || byte === closingBracket);
      if (!ends) {
        this.#itemLine ??= this.line;
        if (byte === quote) inString = true;
        else if (isOpening(byte)) depth += 1;
        else if (isClosing(byte)) depth -= 1;
        continue;
      }
      this.#parts.add(chunk.subarray(start, at));
      start = at + 1;
      // Nothing is in an empty array. A comma without an item before it is not JSON, so the empty text is a value.
      if (this.#itemLine !== undefined || byte === comma) yield this.#value();
      this.#closed = byte === closingBracket;
    }
    [this.#depth, this.#inString, this.#escaped] = [depth, inString, escaped];
    if (this.#closed) return;
    this.#parts.add(chunk.subarray(start));
    if (this.#parts.isTooLong) yield { problem: tooLong, line: this.#itemLine ?? this.line, item: this.#item };
  }

  *end(): Generator<RawValue> {
    if (this.#closed) return;
    yield { problem: 'the file ends before the array does', line: this.#itemLine ?? this.line, item: this.#item };
  }

  #value(): RawValue {
    const value = { ...this.#parts.take(), line: this.#itemLine ?? this.line, item: this.#item };
    this.#itemLine = undefined;
    this.#item += 1;
    return value;
  }
}
