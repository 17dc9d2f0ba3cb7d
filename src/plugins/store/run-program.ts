import { spawn } from 'node:child_process';

import { AgentgymError } from '../../errors/agentgym-error.js';
import { ownGroup } from '../../processes/own-group.js';

export interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramSettings {
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

const LONGEST_MINUTES = 20;
const MERCY_MILLISECONDS = 3000;

/**
 * Runs a program to its end. An aborted signal, or a limit of twenty minutes, ends it and its descendants. It has its
 * own process group, which a Ctrl-C on the terminal does not reach, and which ends with this process.
 *
 * @throws the reason of an aborted signal; AgentgymError AG_PLUGIN_INSTALL_FAILED if the program does not exist or does
 * not end
 */
export function runProgram(
  program: string,
  args: readonly string[],
  { cwd, environment, signal }: ProgramSettings,
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
      () => end(failed(`${program} did not end within ${LONGEST_MINUTES} minutes`)),
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
      reject(failed(`${program} could not be run: ${error.message}`));
    });
    child.on('close', (code) => {
      settle();
      if (reason === undefined) resolve({ code, stdout, stderr });
      else reject(reason);
    });
  });
}

function failed(message: string): AgentgymError {
  return new AgentgymError('AG_PLUGIN_INSTALL_FAILED', { message });
}
