import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';

import type { PluginSource } from './plugin-source.js';
import { readPackageJson } from './read-package-json.js';

/** Entries that are never published, or do not belong to the package. */
const LEFT_OUT = new Set(['node_modules', '.git', '.hg', '.svn', '.DS_Store']);

interface Package {
  readonly files?: unknown;
  readonly agentgym?: { readonly plugin?: unknown };
}

/**
 * One hash over the files of a plugin's package, in the form of npm's integrity: sha512 over the path, the length and
 * the bytes of each file, in the order of paths. It is the same for a linked package, a dependency, or an installed
 * tarball. node_modules belongs to other packages and is excluded. Only reads files; no code runs.
 */
export async function packageIntegrity({ root }: Pick<PluginSource, 'root'>): Promise<string> {
  const hash = createHash('sha512');
  for (const path of await packageFiles(root)) {
    const bytes = await readFile(join(root, path));
    hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  }
  return `sha512-${hash.digest('base64')}`;
}

/**
 * Paths of the files of a package, sorted by code units: package.json, its entry, and the files in `files`. Without
 * `files`: the top-level folder of the entry; if the entry lies directly in the package folder, everything except runs
 * and hidden files.
 */
async function packageFiles(root: string): Promise<string[]> {
  const { files, agentgym } = (await readPackageJson(root)) as Package;
  const entry = posix.normalize(typeof agentgym?.plugin === 'string' ? agentgym.plugin : 'index.js');
  const listed = Array.isArray(files) ? files.filter((item) => typeof item === 'string') : defaultFiles(entry);
  const rules = listed.map((pattern) => ({ takes: !pattern.startsWith('!'), matches: matcher(bare(pattern)) }));
  const isMember = (path: string) =>
    ['package.json', entry].includes(path) || rules.findLast(({ matches }) => matches.test(path))?.takes === true;
  // A project's folder may contain many unpublished files, so only files that a pattern can match are visited.
  const tops = [entry, ...listed.map(bare)].map((pattern) => matcher(pattern.split('/')[0] ?? '*'));
  const isReached = (path: string) => path.includes('/') || tops.some((top) => top.test(path));
  return ['package.json', ...(await allFiles(root, '', (path) => path !== 'package.json' && isReached(path)))]
    .filter(isMember)
    .sort();
}

function defaultFiles(entry: string): string[] {
  const [folder, ...rest] = entry.split('/');
  return folder !== undefined && rest.length > 0 ? [folder] : ['*', '!runs', '!.*'];
}

/** Regular files below a folder, by their paths with `/`; links are not published, so they are not followed. */
async function allFiles(root: string, folder: string, isReached: (path: string) => boolean): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry): Promise<string[]> => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (LEFT_OUT.has(entry.name) || !isReached(path)) return [];
      if (entry.isDirectory()) return allFiles(root, path, isReached);
      return entry.isFile() ? [path] : [];
    }),
  );
  return found.flat();
}

/** A pattern without `!` and without slashes around it. */
function bare(pattern: string): string {
  return pattern
    .replace(/^!/, '')
    .replace(/^\.?\//, '')
    .replace(/\/+$/, '');
}

/**
 * A pattern of `files` in package.json: `dist`, `dist/**\/*.js`, `*.{js,json}`. A pattern that names a folder includes
 * everything below it.
 */
function matcher(pattern: string): RegExp {
  const source = pattern.replaceAll(/\*\*\/|\*\*|\*|\?|\{[^{}]*\}|[.+^$()|[\]\\{}]/g, (token) => {
    if (token === '**/') return '(?:[^/]+/)*';
    if (token === '**') return '.*';
    if (token === '*') return '[^/]*';
    if (token === '?') return '[^/]';
    if (token.length > 1) return `(?:${token.slice(1, -1).split(',').map(escape).join('|')})`;
    return `\\${token}`;
  });
  return new RegExp(`^${source}(?:/.*)?$`);
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^$()|[\]\\{}]/g, '\\$&');
}
