import { existsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize } from 'node:path';
import { inflateRawSync } from 'node:zlib';

import { makeFolder } from '../../reporting/make-folder.js';
import { createFolder } from '../../runs/create-folder.js';
import { acquireRunLock, type RunLock } from '../../runs/run-lock.js';
import type { Frame } from './frame.js';
import { lastingFiles } from './lasting-files.js';

interface Piece {
  readonly path: string;
  readonly offset: number;
  readonly bytes: Buffer;
}

/**
 * Writes the folder that a `FolderSender` sends. It changes the folder only at a `commit`, and in such an order that a
 * run could resume from whatever a killed process leaves: logs, then checkpoints, then what names them.
 */
export class FolderReceiver {
  #pieces: Piece[] = [];
  #lock: RunLock | undefined;

  constructor(readonly folder: string) {
    // The folder of a run that is continued belongs to this process until the end.
    if (existsSync(folder)) this.#lock = acquireRunLock(folder);
  }

  /** @throws AG_RUN_WRITE_FAILED, AG_RUN_LOCKED */
  async take(frame: Frame): Promise<void> {
    if (frame.type === 'piece') {
      const { path, offset, data } = frame;
      this.#pieces.push({ path: safe(path), offset, bytes: inflateRawSync(Buffer.from(data, 'base64')) });
    }
    if (frame.type === 'commit') await this.#commit(new Set(frame.files));
  }

  /** Forgets what has arrived since the last `commit`: another job begins from what the folder has. */
  forget(): void {
    this.#pieces = [];
  }

  release(): void {
    this.#lock?.release();
    this.#lock = undefined;
  }

  async #commit(files: ReadonlySet<string>): Promise<void> {
    const pieces = this.#pieces.sort((left, right) => rank(left.path) - rank(right.path));
    this.forget();
    if (this.#lock === undefined) {
      if (pieces.length === 0) return;
      this.#lock = await createFolder(this.folder, 'run', (temporary) => writePieces(temporary, pieces));
      return;
    }
    await writePieces(this.folder, pieces);
    for (const path of lastingFiles(this.folder)) {
      if (!files.has(path)) await rm(join(this.folder, path), { force: true });
    }
  }
}

/** Order in which files are written. */
function rank(path: string): number {
  if (path === 'checkpoints/latest.json') return 2;
  if (path.startsWith('checkpoints/')) return 1;
  return path === 'manifest.json' || path === 'result.json' ? 3 : 0;
}

async function writePieces(folder: string, pieces: readonly Piece[]): Promise<void> {
  for (const { path, offset, bytes } of pieces) {
    const target = join(folder, path);
    await makeFolder(dirname(target));
    const file = await open(target, existsSync(target) ? 'r+' : 'w');
    try {
      await file.truncate(offset);
      await file.write(bytes, 0, bytes.length, offset);
    } finally {
      await file.close();
    }
  }
}

/** A path inside the folder. Jobs are trusted with results, not with the rest of the disk. */
function safe(path: string): string {
  const normal = normalize(path);
  if (isAbsolute(normal) || normal.split(/[\\/]/).includes('..')) throw new Error(`the path ${path} leaves the folder`);
  return normal;
}
