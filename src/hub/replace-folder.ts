import { existsSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Writes the document of a complete folder, which says that it is complete. */
export async function writeLast(folder: string, name: string, text: string): Promise<void> {
  const file = await open(join(folder, name), 'w');
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
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
