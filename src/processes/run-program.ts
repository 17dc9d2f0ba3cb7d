import { spawn } from 'node:child_process';

import { ownGroup } from './own-group.js';

export interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramSettings {
  /** Default: the folder of this process. */
  readonly cwd?: string;
  /** Default: the environment of this process. */
  readonly environment?: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** The error for a program that cannot be run, or does not end. */
  readonly failure: (message: string) => Error;
}

const LONGEST_MINUTES = 20;
const MERCY_MILLISECONDS = 3000;

/**
 * Runs a program to its end. An aborted signal, or a limit of twenty minutes, ends it and its descendants. It has its
 * own process group, which a Ctrl-C on the terminal does not reach, and which ends with this process.
 *
 * @throws the reason of an aborted signal, or `failure`
 */
export function runProgram(
  program: string,
  args: readonly string[],
  { cwd = process.cwd(), environment = process.env, failure, signal }: ProgramSettings,
): Promise<ProgramResult> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const detached = process.platform !== 'win32';
    const child = spawn(program, args, { cwd, env: environment, detached, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    let reason: Error | undefined;
    const group = ownGroup(child);
    const end = (why: Error) => {
      reason ??= why;
      group.kill('SIGTERM');
      setTimeout(() => group.kill('SIGKILL'), MERCY_MILLISECONDS).unref();
    };
    const abort = () => end(signal.reason as Error);
    const deadline = setTimeout(
      () => end(failure(`${program} did not end within ${LONGEST_MINUTES} minutes`)),
      60_000 * LONGEST_MINUTES,
    );
    const settle = () => {
      clearTimeout(deadline);
      signal.removeEventListener('abort', abort);
    };
    signal.addEventListener('abort', abort, { once: true });
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', (error) => {
      settle();
      reject(failure(`${program} could not be run: ${error.message}`));
    });
    child.on('close', (code) => {
      settle();
      if (reason === undefined) resolve({ code, stdout, stderr });
      else reject(reason);
    });
  });
}
