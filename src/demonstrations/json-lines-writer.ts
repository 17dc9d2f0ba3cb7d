import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

import type { AgentgymError } from '../errors/agentgym-error.js';
import type { FileDigest } from './file-digest.js';

/** Bytes that are collected before they are written. */
const blockBytes = 1 << 20;

/** The error for a file that cannot be written. */
type Refusal = (file: string, error: unknown) => AgentgymError;

/**
 * Writes a JSONL file, line by line. The file appears under its name only as a whole: until `finish` it is a hidden file
 * beside it. The same documents give the same bytes.
 */
export class JsonLinesWriter {
  readonly #hash = createHash('sha256');
  #block: string[] = [];
  #blockLength = 0;
  #bytes = 0;

  private constructor(
    readonly file: string,
    readonly temporary: string,
    private readonly handle: FileHandle,
    private readonly refusal: Refusal,
  ) {}

  /** Throws the refusal if the folder does not exist, or cannot be written to. */
  static async open(file: string, refusal: Refusal): Promise<JsonLinesWriter> {
    const path = resolve(file);
    const temporary = join(dirname(path), `.writing-${randomBytes(4).toString('hex')}`);
    const handle = await open(temporary, 'wx').catch((error: unknown) => {
      throw refusal(path, error);
    });
    return new JsonLinesWriter(path, temporary, handle, refusal);
  }

  /** Throws the refusal, for example if the disk is full. */
  async write(document: object): Promise<void> {
    const line = `${JSON.stringify(document)}\n`;
    this.#block.push(line);
    this.#blockLength += line.length;
    if (this.#blockLength < blockBytes) return;
    await this.#flush().catch((error: unknown) => {
      throw this.refusal(this.file, error);
    });
  }

  /** Gives the file its name. An existing file of that name is replaced. Throws the refusal. */
  async finish(): Promise<FileDigest> {
    try {
      await this.#flush();
      await this.handle.sync();
      await this.handle.close();
      await rename(this.temporary, this.file);
    } catch (error) {
      await this.discard();
      throw this.refusal(this.file, error);
    }
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  /** Leaves nothing behind. Never throws. */
  async discard(): Promise<void> {
    await this.handle.close().catch(() => undefined);
    await rm(this.temporary, { force: true }).catch(() => undefined);
  }

  async #flush(): Promise<void> {
    const data = Buffer.from(this.#block.join(''));
    this.#block = [];
    this.#blockLength = 0;
    this.#hash.update(data);
    this.#bytes += data.length;
    await this.handle.writeFile(data);
  }
}
