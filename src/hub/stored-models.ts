/*
 * Models that come from elsewhere than a hub, kept once for each content: `models/files/SHA256/` has a GGUF file, or the
 * files of a Hugging Face folder, and `content.json`. A file in `models/sources/` says which content a source had. A folder
 * appears only when it is complete.
 */
import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { readWholeFileSync } from '../files/read-whole-file.js';
import { knownModel } from './known-models.js';

/** `content.json`. It is written last. */
export interface StoredContent {
  readonly formatVersion: 1;
  /** Of a GGUF file, or of the wheel that had the folder. */
  readonly sha256: string;
  /** Its files by their names; a GGUF file is the only one. */
  readonly files: { readonly [name: string]: { readonly bytes: number; readonly sha256: string } };
}

export const contentDocumentName = 'content.json';

/** The folder of the content with this SHA-256. */
export function contentFolder(cacheDirectory: string, sha256: string): string {
  return join(cacheDirectory, 'models', 'files', sha256);
}

/** Where a pull of a source keeps what is not complete. */
export function partialFolder(cacheDirectory: string, source: string): string {
  return join(cacheDirectory, 'models', 'files', `${keyOf(source)}.partial`);
}

/** The GGUF file or the folder that was pulled from a source; undefined if it was not. */
export function findStoredModel(cacheDirectory: string, source: string): string | undefined {
  const stored = readStored(cacheDirectory, source);
  return stored === undefined ? undefined : modelPath(contentFolder(cacheDirectory, stored.sha256), stored);
}

/** What is kept of a source, or of any source of a model with a short name. */
function readStored(cacheDirectory: string, source: string): StoredContent | undefined {
  const sha256 = knownModel(source)?.sha256 ?? readSource(cacheDirectory, source)?.sha256;
  return sha256 === undefined ? undefined : readContent(contentFolder(cacheDirectory, sha256));
}

/** The document of a folder; undefined if it has none, or an unreadable one. */
export function readContent(folder: string): StoredContent | undefined {
  try {
    const document = JSON.parse(textOf(join(folder, contentDocumentName))) as StoredContent;
    const { files, formatVersion, sha256 } = document;
    const isWhole = typeof sha256 === 'string' && typeof files === 'object' && files !== null;
    return (formatVersion as number) === 1 && isWhole ? document : undefined;
  } catch {
    return undefined;
  }
}

/** The GGUF file, if a folder is of one; otherwise the folder. */
export function modelPath(folder: string, { files }: Pick<StoredContent, 'files'>): string {
  const gguf = Object.keys(files).find((name) => name.toLowerCase().endsWith('.gguf'));
  return gguf === undefined ? folder : join(folder, gguf);
}

/** What a source had when it was pulled. */
export interface SourceRecord {
  /** Of the content. */
  readonly sha256: string;
  /** What tells one version of the source from another, such as the hash of a wheel. Absent: nothing does. */
  readonly version?: string | undefined;
}

export async function writeSource(cacheDirectory: string, source: string, record: SourceRecord): Promise<void> {
  const path = sourcePath(cacheDirectory, source);
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, `${JSON.stringify({ formatVersion: 1, ...record })}\n`);
  await rename(temporary, path);
}

/** Undefined for a source that was never pulled, or an unreadable record. */
export function readSource(cacheDirectory: string, source: string): SourceRecord | undefined {
  const path = sourcePath(cacheDirectory, source);
  try {
    const { formatVersion, sha256, version } = JSON.parse(textOf(path)) as { readonly [key: string]: unknown };
    if (formatVersion !== 1 || typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) return undefined;
    return { sha256, ...(typeof version === 'string' && { version }) };
  } catch {
    return undefined;
  }
}

function sourcePath(cacheDirectory: string, source: string): string {
  return join(cacheDirectory, 'models', 'sources', `${keyOf(source)}.json`);
}

/** An address may be secret, and has signs that no file name has. */
function keyOf(source: string): string {
  return createHash('sha256').update(source).digest('hex').slice(0, 32);
}

function textOf(path: string): string {
  return readWholeFileSync(path).toString('utf8');
}
