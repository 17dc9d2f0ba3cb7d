import { spawn } from 'node:child_process';

/** Last lines of what a program says that are shown when it fails. */
const SHOWN_LINES = 8;

export interface ToolSettings {
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly env: NodeJS.ProcessEnv;
}

/** Runs a program. Returns what it prints; throws with its last words if it fails. */
export async function runTool(
  command: string,
  args: readonly string[],
  { cwd, signal, env }: ToolSettings,
): Promise<string> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, signal, stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    let said = '';
    child.stdout.on('data', (data: Buffer) => (printed += data.toString()));
    child.stderr.on('data', (data: Buffer) => (said += data.toString()));
    child.once('error', (error) => reject(signal.aborted ? (signal.reason as Error) : error));
    child.once('close', (code) => {
      if (code === 0) return resolve(printed);
      const words = (said.trim() || printed.trim()).split('\n').slice(-SHOWN_LINES).join('\n');
      reject(new Error(`${command} ended with ${code}:\n${words}`));
    });
  });
}
