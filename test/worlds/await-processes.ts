import { setTimeout as wait } from 'node:timers/promises';

import { findProcesses } from '../kill/find-processes.js';

/** Waits until at least one process runs a program. Throws after ten seconds. */
export async function awaitProcesses(program: string): Promise<number[]> {
  for (let attempt = 0; attempt < 1000; attempt += 1) {
    const found = findProcesses(program);
    if (found.length > 0) return found;
    await wait(10);
  }
  throw new Error(`no process runs ${program}`);
}
