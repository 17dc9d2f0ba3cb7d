import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Locks of a process, and files that are being written or removed: they mean nothing on another machine. */
export function isPassing(name: string): boolean {
  return /^(lock\.\d+\.json$|\.(writing|creating|replaced|removing)-)/.test(name);
}

/** Files of a run's folder that another machine needs, by their paths in it. Links are left out. */
export function lastingFiles(root: string, folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (isPassing(entry.name)) return [];
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return lastingFiles(root, path);
    return entry.isFile() ? [path] : [];
  });
}
