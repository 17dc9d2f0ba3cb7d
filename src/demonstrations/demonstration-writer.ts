import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

import { AgentgymError } from '../errors/agentgym-error.js';
import { systemReason } from '../errors/system-error.js';
import type { DemonstratedEpisode } from '../rollout/demonstrated-episode.js';
import type { DemonstrationHeader } from './demonstration-header.js';
import type { FileDigest } from './file-digest.js';

/** Bytes that are collected before they are written. */
const blockBytes = 1 << 20;

/**
 * Writes a file of demonstrations, episode by episode. The file appears under its name only as a whole: until `finish`
 * it is a hidden file beside it. The same episodes give the same bytes.
 */
export class DemonstrationWriter {
  readonly #hash = createHash('sha256');
  #block: string[] = [];
  #blockLength = 0;
  #bytes = 0;

  private constructor(
    readonly file: string,
    readonly temporary: string,
    private readonly handle: FileHandle,
  ) {}

  /** Throws AG_DEMONSTRATION_WRITE if the folder does not exist, or cannot be written to. */
  static async open(file: string, header: DemonstrationHeader): Promise<DemonstrationWriter> {
    const path = resolve(file);
    const temporary = join(dirname(path), `.writing-${randomBytes(4).toString('hex')}`);
    const handle = await open(temporary, 'wx').catch((error: unknown) => {
      throw refusal(path, error);
    });
    const writer = new DemonstrationWriter(path, temporary, handle);
    await writer.#line(header);
    return writer;
  }

  /** Throws AG_DEMONSTRATION_WRITE, for example if the disk is full. */
  async write(episode: DemonstratedEpisode): Promise<void> {
    await this.#line(episode);
  }

  /** Gives the file its name. An existing file of that name is replaced. Throws AG_DEMONSTRATION_WRITE. */
  async finish(): Promise<FileDigest> {
    try {
      await this.#flush();
      await this.handle.sync();
      await this.handle.close();
      await rename(this.temporary, this.file);
    } catch (error) {
      await this.discard();
      throw refusal(this.file, error);
    }
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  /** Leaves nothing behind. Never throws. */
  async discard(): Promise<void> {
    await this.handle.close().catch(() => undefined);
    await rm(this.temporary, { force: true }).catch(() => undefined);
  }

  async #line(value: object): Promise<void> {
    const line = `${JSON.stringify(value)}\n`;
    this.#block.push(line);
    this.#blockLength += line.length;
    if (this.#blockLength < blockBytes) return;
    await this.#flush().catch((error: unknown) => {
      throw refusal(this.file, error);
    });
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

function refusal(file: string, error: unknown): AgentgymError {
  return new AgentgymError('AG_DEMONSTRATION_WRITE', {
    message: `Could not write the demonstrations ${file}: ${systemReason(error)}.`,
    file,
    cause: error,
  });
}
