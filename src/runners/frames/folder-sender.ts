import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';

import type { Frame } from './frame.js';
import { lastingFiles } from './lasting-files.js';

/** Bytes of a piece before it is deflated: a line stays far below what log viewers cut. */
const PIECE = 48 * 1024;
/** Larger checkpoints are sent at the end only. A job that is lost before then starts again from an older one. */
const largeCheckpoint = 16 * 1024 * 1024;

interface Sent {
  readonly bytes: number;
  readonly hash: string;
}

/**
 * Sends the folder of a run as frames: at first all of it, later what has changed. It reads the folder in one go, in the
 * process that writes it. So each state is one that a killed process could have left, from which a run resumes.
 */
export class FolderSender {
  readonly #sent = new Map<string, Sent>();
  #paths = '';

  constructor(
    readonly folder: string,
    private readonly send: (frame: Frame) => void,
  ) {}

  /** @param last whether the run has ended: large checkpoints are sent, too */
  sync(last: boolean): void {
    const files = lastingFiles(this.folder).map((path) => [path, readFileSync(join(this.folder, path))] as const);
    const paths = files.map(([path]) => path);
    const large = !last && bytesOf(files.filter(([path]) => isCheckpoint(path))) > largeCheckpoint;
    let changed = last || paths.join('\n') !== this.#paths;
    for (const [path, bytes] of files) {
      if (!(large && isCheckpoint(path))) changed = this.#sendFile(path, bytes) || changed;
    }
    this.#paths = paths.join('\n');
    if (changed) this.send({ type: 'commit', files: paths });
  }

  #sendFile(path: string, bytes: Buffer): boolean {
    const before = this.#sent.get(path);
    const hash = hashOf(bytes);
    if (before?.bytes === bytes.length && before.hash === hash) return false;
    // Logs only grow, so most of the time only their new end is sent.
    const grew = before !== undefined && before.bytes <= bytes.length;
    const begin = grew && hashOf(bytes.subarray(0, before.bytes)) === before.hash ? before.bytes : 0;
    for (let offset = begin; offset === begin || offset < bytes.length; offset += PIECE) {
      const data = deflateRawSync(bytes.subarray(offset, offset + PIECE)).toString('base64');
      this.send({ type: 'piece', path, offset, data });
    }
    this.#sent.set(path, { bytes: bytes.length, hash });
    return true;
  }
}

const isCheckpoint = (path: string) => path.startsWith('checkpoints/');

const bytesOf = (files: readonly (readonly [string, Buffer])[]) =>
  files.reduce((sum, [, { length }]) => sum + length, 0);

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64');
}
