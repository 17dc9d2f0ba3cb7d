import { createHash } from 'node:crypto';

import { readPieces } from '../files/read-pieces.js';

/** Length and SHA-256 of a file. */
export interface FileDigest {
  readonly bytes: number;
  /** 64 hexadecimal digits. */
  readonly sha256: string;
}

/** Throws AG_FILE_REFUSED, or the error of the operating system if the file cannot be read. */
export async function fileDigest(file: string): Promise<FileDigest> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of readPieces(file)) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}
