import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/**
 * Processes with a file of a folder among their arguments. Linux only.
 *
 * @param {string} folder
 * @returns {number[]}
 */
export function findProcessesBelow(folder) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => argumentsOf(pid).some((argument) => argument.startsWith(folder + sep)));
}

/** What has ended, and only waits to be counted, has no arguments. */
function argumentsOf(pid) {
  try {
    return readFileSync(join('/proc', String(pid), 'cmdline'), 'utf8').split('\0');
  } catch {
    return [];
  }
}
