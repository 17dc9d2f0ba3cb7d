import { createHash } from 'node:crypto';
import { closeSync, fsync, mkdirSync, openSync, readSync, statSync, truncateSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

import { AgentgymError } from '../errors/agentgym-error.js';
import { attemptWrite, refuseWrite } from './attempt-write.js';

/**
 * A file that only grows. Writes are synchronous and in the order of the calls. When `append` returns, the operating
 * system has the data, so it survives a kill of the process. After `sync` it also survives a crash of the machine.
 */
export class AppendLog {
  readonly #descriptor: number;
  readonly #hash = createHash('sha256');
  #bytes: number;

  /**
   * @param keep bytes of an existing file to keep; the rest is cut off.
   * @throws AG_RUN_DAMAGED if the file is shorter.
   */
  constructor(
    readonly path: string,
    keep: number,
  ) {
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size < keep) {
      throw new AgentgymError('AG_RUN_DAMAGED', {
        message: `${path} is ${size} bytes long, but it had ${keep} when the checkpoint was made.`,
        file: path,
      });
    }
    this.#bytes = keep;
    this.#descriptor = attemptWrite(path, () => {
      mkdirSync(dirname(path), { recursive: true });
      if (size > keep) truncateSync(path, keep);
      const descriptor = openSync(path, 'a+');
      const chunk = Buffer.alloc(Math.min(keep, 1 << 20));
      for (let done = 0; done < keep;) {
        const read = readSync(descriptor, chunk, 0, Math.min(chunk.length, keep - done), done);
        this.#hash.update(chunk.subarray(0, read));
        done += read;
      }
      return descriptor;
    });
  }

  /** Current length, which checkpoints store. */
  get bytes(): number {
    return this.#bytes;
  }

  /** SHA-256 of the current content. Checkpoints store it too, so that a changed byte is found. */
  get digest(): string {
    return this.#hash.copy().digest('hex');
  }

  /**
   * Adds raw bytes. Throws AG_RUN_WRITE_FAILED, for example if the disk is full; the file may then end in half a
   * record.
   */
  append(data: Uint8Array): void {
    attemptWrite(this.path, () => {
      for (let done = 0; done < data.length;) {
        const written = writeSync(this.#descriptor, data, done);
        this.#hash.update(data.subarray(done, done + written));
        done += written;
        this.#bytes += written;
      }
    });
  }

  /** Adds one JSON document as a line. */
  appendLine(document: object): void {
    this.append(Buffer.from(`${JSON.stringify(document)}\n`));
  }

  async sync(): Promise<void> {
    await promisify(fsync)(this.#descriptor).catch((error: unknown) => refuseWrite(this.path, error));
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
