import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { clearInterval, clearTimeout, setInterval, setTimeout } from 'node:timers';
import { fileURLToPath } from 'node:url';

const entry = fileURLToPath(new URL('../../bin/run.js', import.meta.url));

/**
 * Runs `agentgym ... --json` in a separate process and process group, so that a kill reaches everything that it started
 * there.
 *
 * @param {string[]} words the command and its arguments
 * @param {number} [killAfter] milliseconds after which the whole group is killed
 * @param {string} [metrics] file whose first line ends the start of the run
 * @param {string} [cwd] current folder of the command
 */
export async function runCommand(words, killAfter, metrics, cwd) {
  const begun = performance.now();
  const child = spawn(process.execPath, [entry, ...words, '--json'], {
    detached: true,
    ...(cwd !== undefined && { cwd }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', (text) => (output[name] += text));
  let wasKilled = false;
  const kill = () => {
    wasKilled = true;
    process.kill(-child.pid, 'SIGKILL');
  };
  const timer = killAfter === undefined ? undefined : setTimeout(kill, killAfter);
  let startMilliseconds = 0;
  const watch = setInterval(() => {
    if (startMilliseconds > 0 || metrics === undefined || !existsSync(metrics)) return;
    if (readFileSync(metrics).length > 0) startMilliseconds = performance.now() - begun;
  }, 10);
  const exitCode = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  clearTimeout(timer);
  clearInterval(watch);
  return {
    ...output,
    exitCode,
    wasKilled: wasKilled && exitCode === null,
    startMilliseconds,
    milliseconds: performance.now() - begun,
  };
}
