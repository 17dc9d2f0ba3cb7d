import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root of the repository. */
export const repository = fileURLToPath(new URL('../..', import.meta.url));

/** TypeScript files below a folder of the repository, without tests and fixtures; absolute, in order. */
export function sourceFiles(folder: string): string[] {
  const names = readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' });
  const sources = names.filter((name) => name.endsWith('.ts') && !/\.test(-d)?\.ts$|(^|[\\/])fixtures[\\/]/.test(name));
  return sources.sort().map((name) => join(repository, folder, name));
}

/** Folders of all plugins, relative to the repository. */
export function pluginFolders(): string[] {
  return readdirSync(join(repository, 'plugins')).map((name) => join('plugins', name));
}

/** Folders of packages that plugins depend on, relative to the repository. */
export function libraryFolders(): string[] {
  return readdirSync(join(repository, 'packages')).map((name) => join('packages', name));
}

/** Path relative to the repository, with slashes. */
export function shown(file: string): string {
  return relative(repository, file).replaceAll('\\', '/');
}
