/*
 * Models that come from elsewhere than a hub, kept once for each content: `models/files/SHA256/` has a GGUF file, or the
 * files of a Hugging Face folder, and `content.json`. A file in `models/sources/` says which content a source had. A folder
 * appears only when it is complete.
 */
import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import * as v from 'valibot';

import { readKnownJsonSync } from '../files/read-known-json.js';
import { knownModel } from './known-models.js';

/** `content.json`. It is written last. */
const contentSchema = v.object({
  formatVersion: v.literal(1),
  /** Of a GGUF file, or of the wheel that had the folder. */
  sha256: v.string(),
  /** Its files by their names; a GGUF file is the only one. */
  files: v.record(v.string(), v.object({ bytes: v.number(), sha256: v.string() })),
});
export type StoredContent = v.InferOutput<typeof contentSchema>;

/** What a source had when it was pulled. */
const sourceSchema = v.object({
  formatVersion: v.literal(1),
  /** Of the content. */
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  /** What tells one version of the source from another, such as the hash of a wheel. Absent: nothing does. */
  version: v.fallback(v.optional(v.string()), undefined),
});
type SourceRecord = v.InferOutput<typeof sourceSchema>;

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
  return readKnownJsonSync(contentSchema, join(folder, contentDocumentName));
}

/** The GGUF file, if a folder is of one; otherwise the folder. */
export function modelPath(folder: string, { files }: Pick<StoredContent, 'files'>): string {
  const gguf = Object.keys(files).find((name) => name.toLowerCase().endsWith('.gguf'));
  return gguf === undefined ? folder : join(folder, gguf);
}

export async function writeSource(
  cacheDirectory: string,
  source: string,
  record: Omit<SourceRecord, 'formatVersion'>,
): Promise<void> {
  const path = sourcePath(cacheDirectory, source);
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, `${JSON.stringify({ formatVersion: 1, ...record })}\n`);
  await rename(temporary, path);
}

/** Undefined for a source that was never pulled, or an unreadable record. */
export function readSource(cacheDirectory: string, source: string): SourceRecord | undefined {
  return readKnownJsonSync(sourceSchema, sourcePath(cacheDirectory, source));
}

function sourcePath(cacheDirectory: string, source: string): string {
  return join(cacheDirectory, 'models', 'sources', `${keyOf(source)}.json`);
}

/** An address may be secret, and has signs that no file name has. */
function keyOf(source: string): string {
  return createHash('sha256').update(source).digest('hex').slice(0, 32);
}
