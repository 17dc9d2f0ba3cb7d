import type { FileHandle } from 'node:fs/promises';

import { openRegularFile } from '../files/open-regular-file.js';
import { dataChanged, dataError } from './data-error.js';

/** What tells whether a file is still the same. Times are in nanoseconds since 1970, as texts. */
export interface FileStamp {
  readonly bytes: number;
  readonly modified: string;
  /** A program can set `modified` to what it was, but not this. */
  readonly changed: string;
  readonly inode: string;
}

/** An open file of rows. A file that another one replaces stays readable; one that is written to is refused. */
export class OpenedFile {
  readonly #file: FileHandle;

  private constructor(
    readonly path: string,
    readonly stamp: FileStamp,
    file: FileHandle,
  ) {
    this.#file = file;
  }

  /** @throws AG_DATA if it does not exist, AG_FILE_REFUSED if it is no regular file, or the error of the system */
  static async open(path: string): Promise<OpenedFile> {
    const file = await openRegularFile(path).catch((cause: unknown) => {
      if (!(cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')) throw cause;
      throw dataError(path, { problem: 'does not exist', hint: 'Download it, or correct its path in `files`.', cause });
    });
    return new OpenedFile(path, await stampOf(file), file);
  }

  get bytes(): number {
    return this.stamp.bytes;
  }

  /**
   * The bytes from `start` up to `end`, both inside the file.
   *
   * @throws AG_DATA_CHANGED if the file was written to since it was opened
   */
  async read(start: number, end: number): Promise<Buffer<ArrayBuffer>> {
    const buffer = Buffer.from(new ArrayBuffer(end - start));
    let done = 0;
    while (done < buffer.length) {
      const { bytesRead } = await this.#file.read(buffer, done, buffer.length - done, start + done);
      if (bytesRead === 0) break;
      done += bytesRead;
    }
    const { bytes, modified } = await stampOf(this.#file);
    if (done < buffer.length || bytes !== this.bytes || modified !== this.stamp.modified) {
      throw dataChanged(this.path, 'was changed after it was opened');
    }
    return buffer;
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

async function stampOf(file: FileHandle): Promise<FileStamp> {
  const { size, mtimeNs, ctimeNs, ino } = await file.stat({ bigint: true });
  return { bytes: Number(size), modified: String(mtimeNs), changed: String(ctimeNs), inode: String(ino) };
}
