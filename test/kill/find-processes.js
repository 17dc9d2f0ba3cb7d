import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/** Processes that run a program: those with its path among their arguments. Linux only. */
export function findProcesses(program) {
  return processesWith((argument) => argument === program);
}

/** Processes with a file of a folder among their arguments. Linux only. */
export function findProcessesBelow(folder) {
  return processesWith((argument) => argument.startsWith(folder + sep));
}

function processesWith(isWanted) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => argumentsOf(pid).some(isWanted));
}

/** Processes that have ended, and wait for their parent, have no arguments. */
function argumentsOf(pid) {
  try {
    return readFileSync(join('/proc', String(pid), 'cmdline'), 'utf8').split('\0');
  } catch {
    return [];
  }
}
