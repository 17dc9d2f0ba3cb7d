import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Locks of a process, and files that are being written or removed: they mean nothing on another machine. */
export function isPassing(name: string): boolean {
  return /^(lock\.\d+\.json$|\.(writing|creating|replaced|removing)-)/.test(name);
}

/** Files of a run's folder that another machine needs, by their paths in it. */
export function lastingFiles(root: string): string[] {
  return filesIn(root, isPassing);
}

/** Files below a folder, by their paths in it. Links are left out, and names of files and folders that are not wanted. */
export function filesIn(root: string, isLeftOut: (name: string) => boolean, folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (isLeftOut(entry.name)) return [];
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return filesIn(root, isLeftOut, path);
    return entry.isFile() ? [path] : [];
  });
}
