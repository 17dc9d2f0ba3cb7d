import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/** Processes that run a program: those with its path among their arguments. Linux only. */
export function findProcesses(program) {
  return findProcessesWith([program]);
}

/** Processes with all of these words among their arguments. Linux only. */
export function findProcessesWith(words) {
  return processesWith((own) => words.every((word) => own.includes(word)));
}

/** Processes with a file of a folder among their arguments. Linux only. */
export function findProcessesBelow(folder) {
  return processesWith((own) => own.some((argument) => argument.startsWith(folder + sep)));
}

function processesWith(isWanted) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => isWanted(argumentsOf(pid)));
}

/** Processes that have ended, and wait for their parent, have no arguments. */
function argumentsOf(pid) {
  try {
    return readFileSync(join('/proc', String(pid), 'cmdline'), 'utf8').split('\0');
  } catch {
    return [];
  }
}
