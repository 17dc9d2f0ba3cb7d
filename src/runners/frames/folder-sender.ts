import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';

import { unitOf } from './checkpoint-of.js';
import type { Frame } from './frame.js';
import { longestPiece } from './frame-schema.js';
import { lastingFiles } from './lasting-files.js';

/** Larger checkpoints are sent at the end only. A job that is lost before then starts again from an older one. */
const largeCheckpoint = 16 * 1024 * 1024;

type FoundFile = readonly [path: string, bytes: Buffer];

interface Sent {
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Sends the folder of a run as frames: at first all that the reader does not have, later what has changed. It reads the
 * folder in one go, in the process that writes it. So each state is one that a killed process could have left, from which
 * a run resumes.
 */
export class FolderSender {
  readonly #sent = new Map<string, Sent>();

  /** @param known a folder with what the reader has already; it may be missing */
  constructor(
    readonly folder: string,
    known: string,
    private readonly send: (frame: Frame) => void,
  ) {
    for (const path of existsSync(known) ? lastingFiles(known) : []) {
      this.#sent.set(path, sentOf(readFileSync(join(known, path))));
    }
  }

  /** @param last whether the run has ended: large checkpoints are sent, too */
  sync(last: boolean): void {
    const files = this.#read(last);
    if (files === undefined) return;
    const large = !last && bytesOf(files.filter(([path]) => isCheckpoint(path))) > largeCheckpoint;
    const wanted = files.filter(([path]) => !(large && isCheckpoint(path)));
    const changed = new Set(wanted.filter(([path, bytes]) => this.#differs(path, bytes)).map(([path]) => unitOf(path)));
    if (changed.size === 0) return;
    const leaving = wanted.filter(([path]) => changed.has(unitOf(path)));
    for (const [path, bytes] of leaving) this.#sendFile(path, bytes);
    this.send({ type: 'commit', files: leaving.length });
  }

  /**
   * Undefined if a checkpoint was taking its place meanwhile: threads of this process move folders. The next look sees it.
   */
  #read(last: boolean): readonly FoundFile[] | undefined {
    const paths = lastingFiles(this.folder);
    try {
      const files = paths.map((path): FoundFile => [path, readFileSync(join(this.folder, path))]);
      if (last) return files;
      return namesCheckpoint(files) && lastingFiles(this.folder).join('\n') === paths.join('\n') ? files : undefined;
    } catch (error) {
      if (last || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return undefined;
    }
  }

  #differs(path: string, bytes: Buffer): boolean {
    const before = this.#sent.get(path);
    return before?.bytes !== bytes.length || before.sha256 !== sentOf(bytes).sha256;
  }

  #sendFile(path: string, bytes: Buffer): void {
    const before = this.#sent.get(path);
    const now = sentOf(bytes);
    // Logs only grow, so most of the time only their new end is sent.
    const grew = before !== undefined && unitOf(path) === path && before.bytes <= bytes.length;
    const from = grew && sentOf(bytes.subarray(0, before.bytes)).sha256 === before.sha256 ? before.bytes : 0;
    this.send({ type: 'file', path, from, ...now });
    for (let at = from; at < bytes.length; at += longestPiece) {
      const piece = bytes.subarray(at, at + longestPiece);
      this.send({ type: 'piece', bytes: piece.length, data: deflateRawSync(piece).toString('base64') });
    }
    this.#sent.set(path, now);
  }
}

const isCheckpoint = (path: string) => path.startsWith('checkpoints/');

/** Whether `latest.json`, if there is one, names a checkpoint that is there. */
function namesCheckpoint(files: readonly FoundFile[]): boolean {
  const latest = files.find(([path]) => path === 'checkpoints/latest.json');
  if (latest === undefined) return true;
  const { checkpoint } = JSON.parse(latest[1].toString()) as { checkpoint: string };
  return files.some(([path]) => path.startsWith(`checkpoints/${checkpoint}/`));
}

const bytesOf = (files: readonly FoundFile[]) => files.reduce((sum, [, { length }]) => sum + length, 0);

function sentOf(bytes: Buffer): Sent {
  return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}
