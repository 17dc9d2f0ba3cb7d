import { lstat } from 'node:fs/promises';
import { join } from 'node:path';

import { latestCheckpointFolder } from '../../runs/checkpoints.js';
import { readManifest } from '../../runs/run-manifest.js';
import { readVerdicts, verdictsFile } from '../../runs/kept-verdicts.js';
import { readTrainerState } from '../../runs/trainer-state.js';

/**
 * How many bytes at the beginning of a file a job may never change: those that a run keeps when it resumes from what is
 * here. Logs are cut to their lengths in the checkpoint (`DiskJournal`), demonstrations that the manifest does not record
 * are played again, and half a line at the end of the verdicts is cut off. Everything else is kept as it is.
 *
 * @returns undefined for a file that is not here
 */
export async function keptBytes(run: string, path: string): Promise<number | undefined> {
  const found = await lstat(join(run, path)).catch(() => undefined);
  if (found === undefined) return undefined;
  const kept = /^(metrics|evaluations|tasks|episodes\/[^/]+)\.jsonl$/.test(path)
    ? await loggedBytes(run, path)
    : path.startsWith('demonstrations/')
      ? await recordedBytes(run, path)
      : path === verdictsFile
        ? (await readVerdicts(run)).bytes
        : found.size;
  return Math.min(kept, found.size);
}

async function loggedBytes(run: string, path: string): Promise<number> {
  const folder = await latestCheckpointFolder(run);
  if (folder === undefined) return 0;
  const state = await readTrainerState(folder);
  return typeof state === 'string' ? Infinity : (state.logs[path] ?? 0);
}

async function recordedBytes(run: string, path: string): Promise<number> {
  const { demonstrations = {} } = await readManifest(run);
  const files = Object.values(demonstrations).flatMap(({ heldOut, training }) => [training, heldOut ?? training]);
  return files.find(({ file }) => file === path)?.bytes ?? 0;
}
