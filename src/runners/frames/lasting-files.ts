import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Locks of a process, and files that are being written: they mean nothing on another machine. */
const PASSING = /^(lock\.\d+\.json$|\.writing-|\.creating-)/;

/** Files of a run's folder that another machine needs, by their paths in it. */
export function lastingFiles(root: string, folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (PASSING.test(entry.name)) return [];
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return lastingFiles(root, path);
    return entry.isFile() ? [path] : [];
  });
}
