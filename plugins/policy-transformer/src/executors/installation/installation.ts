import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';

import { runTool } from './run-tool.js';

/** What installs an engine that this package does not depend on. */
export interface Installation {
  /** See `ExecutorOptions`. */
  readonly engineFolder: string;
  readonly signal: AbortSignal;
  /** `<platform>-<arch>`; for tests. */
  readonly machine?: string;
  /** The root of the file system, where the driver of a GPU is looked for; for tests. */
  readonly root?: string;
  /** Where programs are found; for tests. */
  readonly env?: NodeJS.ProcessEnv;
}

export type Run = (command: string, args: readonly string[], cwd: string) => Promise<string>;

/** Programs by what they do, with what brings them. The first that works is taken. */
const PROGRAMS = {
  compiler: {
    commands: ['c++', 'g++', 'clang++'],
    args: ['--version'],
    cure: 'a C++ compiler (Debian and Ubuntu: apt-get install g++)',
  },
  pip: {
    commands: ['python3'],
    args: ['-m', 'pip', '--version'],
    cure: 'pip of Python 3 (Debian and Ubuntu: apt-get install python3-pip)',
  },
  npm: { commands: ['npm'], args: ['--version'], cure: 'npm, which comes with Node.js' },
  tar: { commands: ['tar'], args: ['--version'], cure: 'tar (Debian and Ubuntu: apt-get install tar)' },
} as const;

type ProgramName = keyof typeof PROGRAMS;

export function machineOf({ machine = `${platform()}-${arch()}` }: Installation): string {
  return machine;
}

/** Whether this machine has a driver of NVIDIA. */
export function hasNvidiaDriver({ root = '/' }: Installation): boolean {
  return existsSync(join(root, 'proc/driver/nvidia/version'));
}

export function runnerOf({ signal, env = process.env }: Installation): Run {
  return (command, args, cwd) => runTool(command, args, { cwd, signal, env });
}

/**
 * The commands of programs. Throws if some do not work, and says what brings them.
 * @param what is installed, for the message
 */
export async function findPrograms<Name extends ProgramName>(
  what: string,
  wanted: readonly Name[],
  installation: Installation,
): Promise<Record<Name, string>> {
  const run = runnerOf(installation);
  const works = (command: string, args: readonly string[]): Promise<boolean> =>
    run(command, args, '/').then(
      () => true,
      () => {
        installation.signal.throwIfAborted();
        return false;
      },
    );
  const found: Partial<Record<Name, string>> = {};
  const missing: string[] = [];
  for (const name of wanted) {
    const { commands, args, cure } = PROGRAMS[name];
    for (const command of commands) {
      if (found[name] === undefined && (await works(command, args))) found[name] = command;
    }
    if (found[name] === undefined) missing.push(cure);
  }
  if (missing.length > 0) throw new Error(`${what} cannot be installed without ${missing.join(', and ')}`);
  return found as Record<Name, string>;
}

/** Fills a folder that gets its name when it is complete. What was there before is replaced. */
export async function installFolder(target: string, fill: (folder: string) => Promise<void>): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  const staging = await mkdtemp(`${target}.partial-`);
  try {
    await fill(staging);
    await rm(target, { recursive: true, force: true });
    await rename(staging, target);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Pythons for which wheels are taken. Only files of a wheel are used, so any of them serves. */
const WHEEL_PYTHON = '3.12';

/**
 * Unpacks Python wheels into a folder, without what they depend on.
 * @param platforms as pip names them, the newest first
 */
export async function unpackWheels(
  run: Run,
  requirements: readonly string[],
  { into, platforms }: { readonly into: string; readonly platforms: readonly string[] },
): Promise<void> {
  const how = ['--quiet', '--no-compile', '--disable-pip-version-check', '--no-deps', '--upgrade'];
  const files = ['--only-binary', ':all:', '--implementation', 'cp', '--python-version', WHEEL_PYTHON];
  const machines = platforms.flatMap((name) => ['--platform', name]);
  await run(
    'python3',
    ['-m', 'pip', 'install', ...how, ...files, ...machines, '--target', into, ...requirements],
    dirname(into),
  );
}

/** Removes everything in a folder but some names. */
export async function keepOnly(folder: string, isKept: (name: string) => boolean): Promise<void> {
  const names = await readdir(folder);
  await Promise.all(
    names.filter((name) => !isKept(name)).map((name) => rm(join(folder, name), { recursive: true, force: true })),
  );
}

/** A size in words: it is only a hint. */
export function sized(megabytes: number): string {
  return megabytes < 1000 ? `${megabytes} MB` : `${(megabytes / 1000).toFixed(0)} GB`;
}
