/*
 * An adapter gives other numbers over another base. So its checkpoint keeps the hash of its base, in a file of its own:
 * PEFT knows what its configuration may have.
 */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import type { OutsideFiles } from '@agentgym/cli';

import { fileNames, parseJson, prettyJson, readOptional } from './folder-files.js';
import { weightFiles } from './weight-files.js';

const fileName = 'base.json';
/** Hashes of files that did not change since, by path, size and time. */
const known = new Map<string, string>();

/** SHA-256 of what a model computes with: its configuration and its weights, file by file. In hexadecimal. */
export async function hashBase(files: OutsideFiles, directory: string): Promise<string> {
  const hash = createHash('sha256');
  for (const path of [join(directory, fileNames.config), ...(await weightFiles(files, directory))]) {
    hash.update(`${basename(path)} ${await hashFile(files, path)}\n`);
  }
  return hash.digest('hex');
}

/** Notes the base of an adapter in its folder. */
export async function writeBase(directory: string, sha256: string): Promise<void> {
  await writeFile(join(directory, fileName), prettyJson({ formatVersion: 1, sha256 }));
}

/**
 * Throws if the folder of an adapter notes another base than this one.
 *
 * @param sha256 of the base; absent: it is computed if the folder notes one
 */
export async function refuseOtherBase(
  files: OutsideFiles,
  directory: string,
  base: { readonly name: string; readonly sha256?: string },
): Promise<void> {
  const text = await readOptional(files, directory, fileName);
  if (text === undefined) return;
  const { sha256: wanted } = parseJson(text, fileName);
  const found = base.sha256 ?? (await hashBase(files, base.name));
  if (found === wanted) return;
  throw new Error(
    `the adapter in ${directory} was trained over another base than ${base.name} is now: its configuration and weights have the hash ${found}, not ${String(wanted)}. Put back the files of the base`,
  );
}

async function hashFile(files: OutsideFiles, path: string): Promise<string> {
  const file = await files.open(path);
  try {
    const { mtimeMs, size } = await file.stat();
    const key = `${size} ${mtimeMs} ${path}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const hash = createHash('sha256');
    for await (const chunk of file.createReadStream({ highWaterMark: 2 ** 20, autoClose: false })) {
      hash.update(chunk as Buffer);
    }
    const found = hash.digest('hex');
    known.set(key, found);
    return found;
  } finally {
    await file.close();
  }
}
