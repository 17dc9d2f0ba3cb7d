import { closeSync, fstatSync, readSync } from 'node:fs';

import { AgentgymError } from '../errors/agentgym-error.js';
import { openRegularFile, openRegularFileSync } from './open-regular-file.js';

/** Bytes of the largest document that is read as a whole. The largest known file of settings has a few megabytes. */
const usualLimit = 64 * 2 ** 20;

/** Bytes of the longest log that is read as a whole. Node.js cannot hold a much longer text. */
export const longestLog = 2 ** 31;

/**
 * The content of a file. The size is checked before anything is read. Files of the system say 0 and have more, so what
 * is read is counted, too.
 *
 * @throws AG_FILE_REFUSED if it is not a regular file, has more than `mostBytes`, or becomes shorter meanwhile; the error
 *   of the operating system if it cannot be read
 */
export async function readWholeFile(
  path: string,
  mostBytes = usualLimit,
  links?: Parameters<typeof openRegularFile>[1],
): Promise<Buffer> {
  const file = await openRegularFile(path, links);
  try {
    const content = new Content(path, (await file.stat()).size, mostBytes);
    while (content.takes((await file.read(content.place, 0)).bytesRead));
    return content.whole();
  } finally {
    await file.close();
  }
}

/** The content of a file as text. Throws like `readWholeFile`. */
export async function readTextFile(path: string, mostBytes?: number): Promise<string> {
  return (await readWholeFile(path, mostBytes)).toString('utf8');
}

/** Like `readWholeFile`. */
export function readWholeFileSync(path: string, mostBytes = usualLimit): Buffer {
  const file = openRegularFileSync(path);
  try {
    const content = new Content(path, fstatSync(file).size, mostBytes);
    while (content.takes(readSync(file, content.place, 0, content.place.length, null)));
    return content.whole();
  } finally {
    closeSync(file);
  }
}

/** What was read of a file so far. */
class Content {
  readonly #pieces: Buffer[] = [];
  #bytes = 0;
  /** Where the next bytes belong. One more than the size shows whether the file ends there. */
  place: Buffer;

  constructor(
    readonly path: string,
    readonly size: number,
    readonly mostBytes: number,
  ) {
    if (size > mostBytes) throw refusal(path, `has ${size} bytes; at most ${mostBytes} are read`);
    this.place = Buffer.allocUnsafe(size + 1);
  }

  /** Takes what was read into `place`. Returns whether there may be more. */
  takes(bytes: number): boolean {
    if (bytes === 0) return false;
    this.#pieces.push(this.place.subarray(0, bytes));
    this.#bytes += bytes;
    if (this.#bytes > this.mostBytes) throw refusal(this.path, `has more than ${this.mostBytes} bytes`);
    this.place = Buffer.allocUnsafe(Math.max(this.size + 1 - this.#bytes, 2 ** 16));
    return true;
  }

  whole(): Buffer {
    if (this.#bytes < this.size) {
      throw refusal(this.path, `became shorter while it was read: ${this.#bytes} of ${this.size} bytes are left`);
    }
    return this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
  }
}

function refusal(path: string, problem: string): AgentgymError {
  return new AgentgymError('AG_FILE_REFUSED', { message: `${path} ${problem}.`, file: path });
}
