import { openRegularFile } from './open-regular-file.js';

/** Large beside a system call, small beside memory. */
const pieceBytes = 2 ** 20;

/**
 * The content of a file in pieces, so that it may be larger than memory. A piece stays valid.
 *
 * @param bytes number of bytes to read; absent: all
 * @throws AG_FILE_REFUSED if it is not a regular file, or the error of the operating system
 */
export async function* readPieces(path: string, bytes = Infinity): AsyncGenerator<Buffer> {
  const file = await openRegularFile(path);
  try {
    for (let done = 0; done < bytes;) {
      const length = Math.min(pieceBytes, bytes - done);
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, done);
      if (bytesRead === 0) return;
      done += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
