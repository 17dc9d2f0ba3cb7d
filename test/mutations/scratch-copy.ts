import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

import { libraryFolders, pluginFolders, repository } from '../architecture/source-files.js';
import type { Mutation } from './mutations.js';

/** Folders that no test of the table reads: built, installed or recorded files. */
const left = new Set(['.cache', '.git', 'coverage', 'dist', 'node_modules']);
/** The folder of a developer's runs; `src/runs` is copied. */
const ownRuns = 'runs';

/** A copy of the sources for mutations, with the repository's installed packages. */
export interface ScratchCopy {
  readonly folder: string;
  /** Calls `use` while the mutation is applied, and undoes it afterwards. */
  applied<T>(mutation: Mutation, use: () => T): T;
  remove(): void;
}

/**
 * Makes a copy below the folder for temporary files. It is also removed at the end of the process, except after
 * SIGKILL.
 */
export function scratchCopy(): ScratchCopy {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-mutations-'));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  process.once('exit', remove);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  cpSync(repository, folder, {
    recursive: true,
    filter: (path) => {
      const below = relative(repository, path);
      return below !== ownRuns && !left.has(below.split(/[\\/]/).at(-1) ?? '');
    },
  });
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'), 'junction');
  // Tests of whole runs load the built plugins. A mutation of a plugin does not reach them.
  for (const built of [...libraryFolders(), ...pluginFolders()].map((name) => join(name, 'dist'))) {
    if (existsSync(join(repository, built))) symlinkSync(join(repository, built), join(folder, built), 'junction');
  }
  return {
    folder,
    applied(mutation, use) {
      const path = join(folder, mutation.file);
      const text = readFileSync(path, 'utf8');
      writeFileSync(path, applyMutation(text, mutation));
      try {
        return use();
      } finally {
        writeFileSync(path, text);
      }
    },
    remove,
  };
}

/** @throws Error if the text of the mutation is not in the file exactly once */
export function applyMutation(text: string, { file, find, replace }: Mutation): string {
  const parts = text.split(find);
  if (parts.length !== 2) throw new Error(`${file} holds ${JSON.stringify(find)} ${parts.length - 1} times, not once`);
  return parts.join(replace);
}
