import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, type FileHandle, lstat, open, rm, statfs, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inflateRawSync } from 'node:zlib';

import { makeFolder } from '../../files/make-folder.js';
import { readPieces } from '../../files/read-pieces.js';
import type { NumberedFrame } from './frame.js';
import { RefusedFrame } from './refused-frame.js';

type FileFrame = Extract<NumberedFrame, { type: 'file' }>;
type PieceFrame = Extract<NumberedFrame, { type: 'piece' }>;

/** Files of one state at most; a run has some dozens. */
const mostFiles = 10_000;

/** A state of a run's folder while it arrives: its files lie in a folder of their own until all are complete. */
export class ArrivingFiles {
  #files = new Map<string, FileFrame>();
  #open: { readonly frame: FileFrame; readonly file: FileHandle; at: number } | undefined;

  /**
   * @param folder where the files arrive; what it has is removed
   * @param run the run's folder, which has the beginnings of files
   */
  constructor(
    readonly folder: string,
    private readonly run: string,
  ) {}

  async begin(frame: FileFrame): Promise<void> {
    const { bytes, from, path } = frame;
    await this.#finishFile();
    if (this.#files.has(path)) throw new RefusedFrame(`${path} is sent twice`);
    if (this.#files.size >= mostFiles) throw new RefusedFrame(`more than ${mostFiles} files are sent at a time`);
    if (from > bytes) throw new RefusedFrame(`${path} begins at byte ${from} of ${bytes}`);
    if (this.#files.size === 0) await rm(this.folder, { recursive: true, force: true });
    const target = join(this.folder, path);
    await makeFolder(dirname(target));
    const { bavail, bsize } = await statfs(this.folder);
    if (bytes > bavail * bsize) {
      throw new RefusedFrame(`${path} shall have ${bytes} bytes, and this disk has ${bavail * bsize} left`);
    }
    if (from > 0) await this.#copyBeginning(path, from, target);
    this.#files.set(path, frame);
    this.#open = { frame, file: await open(target, 'a'), at: from };
  }

  async add({ bytes, data }: PieceFrame): Promise<void> {
    const open = this.#open;
    if (open === undefined) throw new RefusedFrame('a piece of no file is sent');
    const { path, bytes: all } = open.frame;
    if (open.at + bytes > all) throw new RefusedFrame(`more than ${all} bytes are sent for ${path}`);
    await open.file.writeFile(inflate(data, bytes, path));
    open.at += bytes;
  }

  /**
   * The paths of the files, once all are complete.
   *
   * @param files how many there must be
   */
  async complete(files: number): Promise<readonly string[]> {
    await this.#finishFile();
    if (files !== this.#files.size) throw new RefusedFrame(`${this.#files.size} files are sent, not ${files}`);
    for (const { path, sha256 } of this.#files.values()) {
      const found = await hashOf(join(this.folder, path));
      if (found !== sha256) throw new RefusedFrame(`${path} is not what was announced`);
    }
    const paths = [...this.#files.keys()];
    this.#files = new Map();
    return paths;
  }

  /** Forgets what has arrived of an unfinished state. */
  async discard(): Promise<void> {
    await this.#open?.file.close();
    this.#open = undefined;
    this.#files = new Map();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #finishFile(): Promise<void> {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    await open.file.close();
    const { bytes, path } = open.frame;
    if (open.at < bytes) throw new RefusedFrame(`${open.at} of ${bytes} bytes are sent for ${path}`);
  }

  async #copyBeginning(path: string, bytes: number, target: string): Promise<void> {
    const here = join(this.run, path);
    const found = await lstat(here).catch(() => undefined);
    if (found?.isFile() !== true || found.size < bytes) {
      throw new RefusedFrame(`${path} continues at byte ${bytes}, and here are ${found?.isFile() ? found.size : 0}`);
    }
    await copyFile(here, target, constants.COPYFILE_FICLONE);
    await truncate(target, bytes);
  }
}

function inflate(data: string, bytes: number, path: string): Buffer {
  try {
    const inflated = inflateRawSync(Buffer.from(data, 'base64'), { maxOutputLength: bytes });
    if (inflated.length === bytes) return inflated;
  } catch {
    // It is no deflated text, or has more bytes.
  }
  throw new RefusedFrame(`a piece of ${path} does not have the ${bytes} bytes that it says`);
}

/** @param bytes bytes at the beginning that count; absent: all */
export async function hashOf(file: string, bytes?: number): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of readPieces(file, bytes)) hash.update(piece);
  return hash.digest('hex');
}
