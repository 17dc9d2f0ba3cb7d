// Makes folders of checkpoints trustworthy: they appear as a whole, and contain checksums of their files.
import { readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import * as v from 'valibot';

import { fileDigest, type FileDigest } from '../demonstrations/file-digest.js';
import { filesBelow } from '../files/files-below.js';
import { readTextFile } from '../files/read-whole-file.js';
import { renameIfThere } from '../files/rename-if-there.js';
import { syncFolder, syncTree } from './durable-files.js';

const checksumsName = 'checksums.json';

const checksumsSchema = v.record(v.string(), v.looseObject({ bytes: v.number(), sha256: v.string() }));

/** Writes the size and SHA-256 of every file of a folder into it, and syncs everything to disk. */
export async function sealFolder(directory: string): Promise<void> {
  const files: Record<string, FileDigest> = {};
  for (const name of await filesBelow(directory)) files[name] = await fileDigest(join(directory, name));
  await writeFile(join(directory, checksumsName), `${JSON.stringify({ formatVersion: 1, files }, null, 2)}\n`);
  await syncTree(directory);
}

/** Describes the damage of a sealed folder in one sentence. Undefined if it is intact. */
export async function folderDamage(directory: string): Promise<string | undefined> {
  let files: Record<string, FileDigest>;
  try {
    const text = await readTextFile(join(directory, checksumsName));
    files = (JSON.parse(text) as { files: Record<string, FileDigest> }).files;
    if (!v.is(checksumsSchema, files)) throw new Error('no files');
  } catch {
    return `its ${checksumsName} is missing or damaged`;
  }
  for (const [name, expected] of Object.entries(files)) {
    const path = join(directory, name);
    const bytes = await stat(path).then(
      ({ size }) => size,
      () => undefined,
    );
    if (bytes === undefined) return `${name} is missing`;
    if (bytes !== expected.bytes) return `${name} is ${bytes} bytes long, but ${expected.bytes} were written`;
    if ((await fileDigest(path)).sha256 !== expected.sha256) return `the content of ${name} has changed`;
  }
  return undefined;
}

/**
 * Moves a finished folder to its place, and replaces an older one with that name. The caller syncs the parent folder to
 * disk. Between the two renames, the older folder has another name. If the process dies then, `repairFolders` restores
 * it.
 */
export async function placeFolder(temporary: string, target: string): Promise<void> {
  const parent = join(target, '..');
  const aside = join(parent, `.replaced-${basename(target)}`);
  const replaces = await renameIfThere(target, aside);
  try {
    await rename(temporary, target);
  } catch (error) {
    if (replaces) await rename(aside, target);
    throw error;
  }
  if (!replaces) return;
  await syncFolder(parent);
  await rm(aside, { recursive: true, force: true });
}

/** Removes a folder so that it is never seen half removed. */
export async function removeFolder(target: string): Promise<void> {
  const aside = join(target, '..', `.removing-${basename(target)}`);
  await rm(aside, { recursive: true, force: true });
  await renameIfThere(target, aside);
  await rm(aside, { recursive: true, force: true });
}

/** Cleans up after a process that died while it wrote, replaced or removed a folder here. */
export async function repairFolders(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => [] as string[]);
  for (const name of names) {
    const replaced = /^\.replaced-(.+)$/.exec(name)?.[1];
    if (replaced !== undefined && !names.includes(replaced)) {
      await rename(join(parent, name), join(parent, replaced));
    } else if (/^\.(replaced|writing|removing)-/.test(name)) {
      await rm(join(parent, name), { recursive: true, force: true });
    }
  }
}
