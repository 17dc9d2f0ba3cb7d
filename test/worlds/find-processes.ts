import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** Processes that run a program: those with its path among their arguments. Linux only. */
export function findProcesses(program: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => argumentsOf(pid).includes(program));
}

/** Waits until at least one process runs a program. Throws after ten seconds. */
export async function awaitProcesses(program: string): Promise<number[]> {
  for (let attempt = 0; attempt < 1000; attempt += 1) {
    const found = findProcesses(program);
    if (found.length > 0) return found;
    await wait(10);
  }
  throw new Error(`no process runs ${program}`);
}

/** What has ended, and only waits to be counted, has no arguments. */
function argumentsOf(pid: number): string[] {
  try {
    return readFileSync(join('/proc', String(pid), 'cmdline'), 'utf8').split('\0');
  } catch {
    return [];
  }
}
