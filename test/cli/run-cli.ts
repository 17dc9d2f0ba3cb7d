import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The only entry of the CLI. It runs the built code: `npm test` builds first. */
export const bin = fileURLToPath(new URL('../../bin/run.js', import.meta.url));

export interface CliResult {
  /** Exit code; null if a signal ended the process. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliSettings {
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Flags of node itself. */
  readonly nodeFlags?: readonly string[];
}

/** A separate data folder, so that tests do not see a developer's plugins. */
export function freshDataFolders(parent = tmpdir()) {
  const folder = mkdtempSync(join(parent, 'agentgym-data-'));
  return {
    AGENTGYM_DATA_DIR: folder,
    AGENTGYM_CACHE_DIR: join(folder, 'cache'),
    AGENTGYM_CONFIG_DIR: join(folder, 'config'),
  };
}

/** Runs the command line as a user does, in a separate process. */
export function runCli(args: readonly string[], settings: CliSettings = {}): Promise<CliResult> {
  const folders = freshDataFolders();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...(settings.nodeFlags ?? []), bin, ...args], {
      cwd: settings.cwd,
      env: { ...process.env, ...folders, NODE_ENV: 'production', ...settings.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (code) => {
      rmSync(folders.AGENTGYM_DATA_DIR, { recursive: true, force: true });
      resolve({ code, stdout, stderr });
    });
  });
}

/** The one document on standard output. */
export function documentOf({ stdout }: CliResult): Record<string, unknown> {
  return JSON.parse(stdout) as Record<string, unknown>;
}
