import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import type * as Oclif from '@oclif/core';
import { inject, vi } from 'vitest';

/** A user of the installed host, with a separate data folder and current folder. */
export interface User {
  readonly data: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as one document. */
  readonly json: Record<string, unknown>;
}

/** A user who has installed nothing yet. Default: the shared registry and npm cache; `environment` may change this. */
export function newUser(environment: Readonly<Record<string, string>> = {}): User {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-user-'));
  const [data, cwd] = [join(folder, 'data'), folder];
  const folders = { AGENTGYM_DATA_DIR: data, AGENTGYM_CACHE_DIR: join(folder, 'cache') };
  // The value of vitest would make oclif look for the sources of linked plugins.
  const production = { NODE_ENV: 'production' };
  return { data, cwd, environment: { ...production, ...inject('registry').environment, ...folders, ...environment } };
}

/** Starts `agentgym ...` from the installed host. */
export function startAgentgym(user: User, args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  return spawn(process.execPath, [inject('installed').bin, ...args], {
    cwd: user.cwd,
    env: { ...process.env, ...user.environment, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs `agentgym ... --json` to its end. */
export function agentgym(
  user: User,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const child = startAgentgym(user, [...args, '--json'], environment);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      try {
        resolve({ code, stdout, stderr, json: JSON.parse(stdout) as Record<string, unknown> });
      } catch {
        reject(new Error(`agentgym ${args.join(' ')} ended with ${code} and no document:\n${stdout}\n${stderr}`));
      }
    });
  });
}

/** The environments of fixtures that a user has. */
export async function environmentsOf(user: User): Promise<string[]> {
  const { environments } = (await read(user, 'list', ['environments'])) as { environments: { name: string }[] };
  return environments.map(({ name }) => name).filter((name) => name.startsWith('coin'));
}

/** Names of the packages that a user installed or linked. */
export async function installedBy(user: User): Promise<string[]> {
  const { plugins } = (await read(user, 'plugins')) as { plugins: { name: string; type: string }[] };
  return plugins.filter(({ type }) => type !== 'built-in').map(({ name }) => name);
}

/** The output of `agentgym plugins inspect NAME --json`. */
export const inspect = (user: User, name: string) =>
  read(user, 'plugins:inspect', [name]) as Promise<Record<string, unknown>>;

/**
 * Runs a command of the installed host that only reads, in this process: most of its cost would be the start of a
 * process.
 */
async function read(user: User, id: string, args: readonly string[] = []): Promise<unknown> {
  const { bin } = inject('installed');
  const oclif = pathToFileURL(createRequire(bin).resolve('@oclif/core')).href;
  const { Config } = (await import(/* @vite-ignore */ oclif)) as typeof Oclif;
  const { env } = process;
  const folder = process.cwd();
  // Tests read the returned value, not the output.
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  process.env = { ...env, ...user.environment };
  process.chdir(user.cwd);
  try {
    return await (await Config.load(bin)).runCommand(id, [...args, '--json']);
  } finally {
    // A command lets its process end although the channel to its parent is open. This one must live on.
    process.channel?.ref();
    process.chdir(folder);
    process.env = env;
    write.mockRestore();
  }
}

/** The error of a command that failed. */
export const errorOf = ({ json }: Ended) => json['error'] as { code: string; message: string; hint: string };
