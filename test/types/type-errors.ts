import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { repository } from '../architecture/source-files.js';

const compiler = join(repository, 'node_modules', '@typescript', 'native', 'bin', 'tsc');
/** Inside the repository, so that packages are found. */
const cache = join(repository, '.cache');

/**
 * The errors of TypeScript, with the settings of this repository, in files of a new folder.
 *
 * @param files text by path, such as `right/index.ts`; they may import each other and `@agentgym/cli`. Files in JavaScript
 * have their types in comments.
 * @returns messages by path; empty if there are none
 */
export function typeErrors(files: ReadonlyMap<string, string>): Map<string, string[]> {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'types-'));
  try {
    for (const [name, text] of files) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const compilerOptions = { allowJs: true, checkJs: true };
    const settings = { extends: '../../tsconfig.json', compilerOptions, include: ['.'], exclude: [] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
    // Messages have paths relative to this folder.
    const { stdout, stderr, error } = spawnSync(process.execPath, [compiler, '-p', '.', '--pretty', 'false'], {
      cwd: folder,
      encoding: 'utf8',
    });
    if (error !== undefined || stderr !== '') throw error ?? new Error(stderr);
    return byFile(stdout, [...files.keys()]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Sorts messages by file. Each begins with `path(line,column): error TS...: ` and continues in indented lines. Throws
 * if a message is about another file.
 */
function byFile(output: string, names: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>(names.map((name) => [name, []]));
  for (const told of output.split(/\n(?! )/).filter((line) => line !== '')) {
    const [, name = '', message = ''] = /^(.+)\(\d+,\d+\): error TS\d+: ([\s\S]*)$/.exec(told) ?? [];
    const messages = found.get(name);
    if (messages === undefined) throw new Error(told);
    messages.push(message.trimEnd());
  }
  return found;
}
