import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

import type { EngineName } from '../executors/create-executor.js';

/** What an engine can do here, or why it cannot. */
export type EngineProbe =
  | { readonly version: string; /** Trained tokens a second. */ readonly speed?: number }
  | { readonly problem: string };

/** Time of one measurement. */
const SECONDS = 1;
/** Time for everything, above all to compile the programs of a GPU. After it, an engine has no known speed. */
const LIMIT_SECONDS = 15;

/**
 * Runs an engine in a process of its own.
 * @param measures whether its speed is measured, which takes a few seconds
 */
export async function probeEngine(
  engine: EngineName,
  engineFolder: string | undefined,
  measures: boolean,
): Promise<EngineProbe> {
  const args = [engine, engineFolder ?? '', String(availableParallelism()), String(measures ? SECONDS : 0)];
  const child = fork(entry(), args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], execArgv: [] });
  let said = '';
  child.stderr!.on('data', (data: Buffer) => (said += data.toString()));
  const slow = setTimeout(() => child.kill('SIGKILL'), 1000 * LIMIT_SECONDS);
  try {
    return await new Promise((resolve, reject) => {
      let answer: EngineProbe | undefined;
      child.on('message', (message) => (answer = message as EngineProbe));
      child.once('error', reject);
      child.once('close', (code, signal) => {
        if (answer) return resolve(answer);
        const end =
          signal === 'SIGKILL'
            ? `takes more than ${LIMIT_SECONDS} seconds to start`
            : `ends the process (${signal ?? code})`;
        const [last] = said.trim().split('\n').slice(-1);
        resolve({ problem: `${end}${last ? `: ${last}` : ''}` });
      });
    });
  } finally {
    clearTimeout(slow);
  }
}

/** The compiled script: next to this file, or in `dist` if this file runs uncompiled. */
function entry(): string {
  const beside = fileURLToPath(new URL('./engine-probe.js', import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL('../../dist/policy/engine-probe.js', import.meta.url));
}
