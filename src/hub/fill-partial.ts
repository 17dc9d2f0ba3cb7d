import { lstat, mkdir, readdir, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { readTextFile } from '../files/read-whole-file.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { acquireProcessLock, type ProcessLock } from '../processes/process-lock.js';
import { fetchFile } from '../transfers/fetch-file.js';
import type { TransferEvent } from '../transfers/transfer-event.js';
import type { ChosenFiles, HubFile } from './choose-model-files.js';
import { callHub, type HubAccess } from './hub-access.js';
import { clearPartial } from './model-folder.js';
import type { PulledDocument } from './pulled-model.js';

/** The files to download. */
interface WantedFiles {
  readonly model: string;
  readonly commit: string;
  readonly chosen: ChosenFiles;
  readonly hub: HubAccess;
  readonly onEvent: (event: TransferEvent) => void;
}

/**
 * Downloads what is missing into the folder of a pull that is not complete, and removes everything else from it. One
 * process at a time works there.
 *
 * @returns the files of the folder
 * @throws the codes of `fetchFile`, and AG_FILE_FAILED if the disk has too little space
 */
export async function fillPartial(
  { model, commit, chosen, hub, onEvent }: WantedFiles,
  partial: string,
): Promise<PulledDocument['files']> {
  const lock = await lockPartial(partial, model);
  try {
    const download = (file: HubFile, report: (event: TransferEvent) => void) =>
      downloadHubFile(hub, { model, commit }, file, join(partial, file.name), report);
    const files = [...chosen.texts, chosen.weights];
    if (chosen.shards !== undefined) {
      await download(chosen.weights, () => undefined);
      files.push(...chosen.shards(await readTextFile(join(partial, chosen.weights.name))));
    }
    await refuseFullDisk(partial, files);
    onEvent({ type: 'planned', files: files.map(({ name, bytes }) => ({ name, bytes })) });
    for (const file of files) await download(file, onEvent);
    const wanted = new Set(files.map(({ name }) => name));
    // Rests of attempts with another commit.
    await clearPartial(partial, (name) => wanted.has(name));
    return Object.fromEntries(files.map(({ name, bytes, hash }) => [name, { bytes, hash }]));
  } finally {
    lock.release();
  }
}

/**
 * Makes the folder of a pull that is not complete, and takes its lock.
 *
 * @param model for messages
 * @throws AG_TRANSFER_FAILED if another process works there, AG_FILE_FAILED for a link
 */
export async function lockPartial(partial: string, model: string): Promise<ProcessLock> {
  await mkdir(partial, { recursive: true });
  await refuseLink(partial);
  return acquireProcessLock(partial, ({ pid }) => {
    return new AgentgymError('AG_TRANSFER_FAILED', {
      message: `The process ${pid} is pulling ${model} into the same folder.`,
      hint: 'Wait until it ends.',
      file: partial,
    });
  });
}

async function downloadHubFile(
  hub: HubAccess,
  { model, commit }: { readonly model: string; readonly commit: string },
  { name, bytes, hash }: HubFile,
  path: string,
  report: (event: TransferEvent) => void,
): Promise<void> {
  const url = `${hub.endpoint}/${model}/resolve/${commit}/${encodeURIComponent(name)}`;
  const headers = hub.token === undefined ? {} : { headers: { authorization: `Bearer ${hub.token}` } };
  const onProgress = (done: number) => report({ type: 'progress', name, done });
  const outcome = await callHub(hub, `file ${name} of model ${model}`, () =>
    fetchFile({ url, bytes, hash, ...headers }, path, { signal: hub.signal, onProgress, hear: hub.hear }),
  );
  report({ type: 'finished', name, outcome });
}

/** Somebody may have put a link there, so that the files would land in another folder. */
async function refuseLink(partial: string): Promise<void> {
  if ((await lstat(partial)).isDirectory()) return;
  throw new AgentgymError('AG_FILE_FAILED', {
    message: `${partial}, where a pull keeps what is not complete, is a link to another place.`,
    hint: 'Remove the link, then run the same command again.',
    file: partial,
  });
}

/** Throws AG_FILE_FAILED if the disk has too little space for files, of which the folder may have parts. */
export async function refuseFullDisk(partial: string, files: readonly Pick<HubFile, 'bytes'>[]): Promise<void> {
  const { bavail, bsize } = await statfs(partial);
  const names = await readdir(partial);
  const sizes = await Promise.all(names.map(async (name) => (await lstat(join(partial, name))).size));
  const missing = files.reduce((sum, { bytes }) => sum + bytes, 0) - sizes.reduce((sum, size) => sum + size, 0);
  if (missing <= bavail * bsize) return;
  throw new AgentgymError('AG_FILE_FAILED', {
    message: `The disk of ${dirname(partial)} has ${bavail * bsize} bytes free, and ${missing} more are needed.`,
    file: partial,
  });
}
