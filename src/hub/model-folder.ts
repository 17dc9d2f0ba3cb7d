import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { AgentgymError } from '../errors/agentgym-error.js';
import { type FileHash, hasHash } from '../transfers/file-hash.js';

/** Writes the document of a complete folder, which says that it is complete. */
export async function writeLast(folder: string, name: string, document: object): Promise<void> {
  await writeFile(join(folder, name), `${JSON.stringify(document, null, 2)}\n`, { flush: true });
}

/** The files that a complete folder has, by their names. */
type FilesOf<Listed extends { readonly bytes: number }> = { readonly [name: string]: Listed };

export function totalBytes(files: FilesOf<{ readonly bytes: number }>): number {
  return Object.values(files).reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Whether a folder has all files, with their hashes. */
export async function isIntact(
  folder: string,
  files: FilesOf<{ readonly bytes: number; readonly hash: FileHash }>,
  signal: AbortSignal,
): Promise<boolean> {
  for (const [name, { bytes, hash }] of Object.entries(files)) {
    if (!(await hasHash(join(folder, name), bytes, hash, signal))) return false;
  }
  return true;
}

/** Removes everything from a folder that is not complete, but its lock and what is kept. */
export async function clearPartial(partial: string, isKept: (name: string) => boolean = () => false): Promise<void> {
  for (const name of await readdir(partial)) {
    if (!/^lock\./.test(name) && !isKept(name)) await rm(join(partial, name), { recursive: true, force: true });
  }
}

/** Throws AG_OUTPUT_EXISTS if a folder has content. */
export async function refuseContent(folder: string, isNot: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (names.length === 0) return;
  throw new AgentgymError('AG_OUTPUT_EXISTS', {
    message: `The folder ${folder} exists, and is not ${isNot}.`,
    hint: 'Choose another folder with `--output DIR`, or remove it.',
    file: folder,
  });
}

/** Gives a complete folder its name. A folder that it replaces is aside for a moment. */
export async function replaceFolder(complete: string, folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const aside = join(dirname(folder), `.replaced-${basename(folder)}`);
  await rm(aside, { recursive: true, force: true });
  if (existsSync(folder)) await rename(folder, aside);
  await rename(complete, folder);
  await rm(aside, { recursive: true, force: true });
}
