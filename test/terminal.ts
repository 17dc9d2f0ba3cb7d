// Runs commands on a terminal with `script` of util-linux.
import { spawn, spawnSync } from 'node:child_process';

export const hasTerminal = spawnSync('script', ['--version']).stdout?.includes('util-linux') === true;

/**
 * Runs a shell command. Sends each answer when its question appears, and returns the exit code with the whole output.
 */
export function runOnTerminal(
  command: string,
  settings: { readonly cwd: string; readonly environment: NodeJS.ProcessEnv },
  turns: readonly (readonly [question: RegExp, keys: string])[],
): Promise<{ code: number | null; shown: string }> {
  const sized = `stty cols 100 rows 30; exec ${command}`;
  const child = spawn('script', ['--quiet', '--return', '--command', sized, '/dev/null'], {
    cwd: settings.cwd,
    env: { ...process.env, ...settings.environment, TERM: 'xterm', CI: undefined },
  });
  const left = [...turns];
  return new Promise((resolve, reject) => {
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
      if (left[0]?.[0].test(shown) === true) child.stdin.write(left.shift()?.[1] ?? '');
    });
    // The command may end without reading the last answer.
    child.stdin.on('error', () => {});
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, shown }));
  });
}
