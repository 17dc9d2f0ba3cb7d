import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { repository } from '../architecture/source-files.js';
import type { ConsoleCommand } from './console-commands.js';

export interface CommandResult {
  readonly code: number | null;
  /** Standard output and standard error, as a terminal shows them. */
  readonly printed: string;
  /** The words after `agentgym` that really ran, if the command did less than the document says. */
  readonly cut: readonly (readonly string[])[];
}

const shims = join(repository, 'test/docs/shim');
/** Does not end healthy commands of console.test.ts: the longest takes a tenth of it. */
const DEADLINE_SECONDS = 240;

/**
 * Runs a document's command in a shell with `agentgym` on its path. A server that runs until it is interrupted
 * (`agentgym ui`) must answer a request for its page, and is then interrupted.
 *
 * @param home data, cache and configuration of agentgym and npm, separate from the user's
 * @param environment replaces variables of this process; another `PATH` runs another `agentgym`
 */
export function runCommand(
  { command, input }: ConsoleCommand,
  folder: string,
  home: string,
  environment: Readonly<Record<string, string>> = {},
  { seconds = DEADLINE_SECONDS }: { readonly seconds?: number } = {},
): Promise<CommandResult> {
  const log = join(home, 'cut.jsonl');
  rmSync(log, { force: true });
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', `exec 2>&1\n${command}`], {
      cwd: folder,
      env: {
        ...process.env,
        PATH: `${shims}${delimiter}${process.env['PATH'] ?? ''}`,
        AGENTGYM_DATA_DIR: join(home, 'data'),
        AGENTGYM_CACHE_DIR: join(home, 'cache'),
        AGENTGYM_CONFIG_DIR: join(home, 'config'),
        AGENTGYM_DOCS_LOG: log,
        NODE_ENV: 'production',
        COLUMNS: '80',
        ...environment,
      },
      // In a separate process group, everything that a command started ends with it.
      detached: true,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const signal = (name: NodeJS.Signals) => process.kill(-(child.pid ?? 0), name);
    const deadline = setTimeout(() => signal('SIGKILL'), 1000 * seconds);
    let printed = '';
    let served = false;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      const address = /^agentgym ui\b/.test(command) ? /http:\/\/\S+/.exec(printed)?.[0] : undefined;
      if (address === undefined || served) return;
      served = true;
      fetch(address).then(
        ({ status }) => signal(status === 200 ? 'SIGINT' : 'SIGKILL'),
        () => signal('SIGKILL'),
      );
    });
    // Most commands end without reading their input.
    child.stdin.on('error', () => {}).end(input);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(deadline);
      const lines = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
      resolve({ code, printed, cut: lines.map((line) => JSON.parse(line) as string[]) });
    });
  });
}
