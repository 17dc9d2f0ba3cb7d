import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, type Readable, type Writable } from 'node:stream';

import { findProgram, notStarted, type ProgramPlace } from './find-program.js';
import { ownGroup } from './own-group.js';

export interface SpawnSettings extends ProgramPlace {
  /** An abort kills the process and everything that it started. */
  readonly signal?: AbortSignal | undefined;
}

/** How a process ended: with an exit code, or by a signal. */
interface ProcessEnding {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process that ends with this thread, together with everything that it started. */
export interface OwnedProcess {
  readonly pid: number;
  /** Data written to a process that has ended is lost; only the callback of `write` reports this. */
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /**
   * Resolves when it has exited. Everything that it started is killed then. Its last output may not be read yet. It is
   * kept until the end of the streams.
   */
  readonly ended: Promise<ProcessEnding>;
  /** Sends a signal (default: SIGKILL) to the process and everything that it started. */
  kill(signal?: NodeJS.Signals): void;
}

/**
 * Delays the program until its group is guarded, so that a killed owner never leaves it behind. A line on descriptor 3
 * lets it start; the end of that pipe without a line means that the owner is gone. The program replaces the shell and
 * keeps its process id. Arguments are passed unchanged; no shell reads them.
 */
const gateProgram = 'read -r _ <&3 || exit 1; exec "$@" 3<&-';

/**
 * Starts a program that belongs to this thread: it and everything that it starts end when it exits, when the thread
 * ends, and when the process is killed with SIGKILL (`ownGroup` lists the exceptions). Works in worker threads.
 * Standard input, output and error are pipes.
 *
 * The program is found on the PATH of `env`. On POSIX systems it is started through /bin/sh, which sets PWD and may
 * drop variables whose names are not valid in a shell; a script whose interpreter is missing ends with code 127.
 *
 * @throws the abort reason of `signal`; an Error that names the command, with code ENOENT if there is no such program
 * or folder, and EACCES if it may not be run
 */
export async function spawnOwned(
  command: string,
  args: readonly string[] = [],
  { cwd, env = process.env, signal }: SpawnSettings = {},
): Promise<OwnedProcess> {
  signal?.throwIfAborted();
  const child = await start(command, args, { cwd, env });
  const ended = new Promise<ProcessEnding>((resolve) => {
    child.once('exit', (code, name) => resolve({ code, signal: name }));
  });
  const group = ownGroup(child);
  const abort = (): void => group.kill('SIGKILL');
  signal?.addEventListener('abort', abort, { once: true });
  child.once('exit', () => signal?.removeEventListener('abort', abort));
  await group.isGuarded;
  if (signal?.aborted === true) abort();
  signal?.throwIfAborted();
  const gate = child.stdio[3] as Writable | null | undefined;
  gate?.on('error', () => undefined).end('\n', () => gate.destroy());
  const { pid, stdin } = child;
  const [stdout, stderr] = [child.stdout, child.stderr].map(kept) as [Readable, Readable];
  return { pid: pid!, stdin, stdout, stderr, ended, kill: (name = 'SIGKILL') => group.kill(name) };
}

/** The same bytes, kept until they are read: when a process exits, Node.js drops the data of its unread pipes. */
function kept(pipe: Readable): Readable {
  return pipe.pipe(new PassThrough());
}

/** Starts the process. On POSIX systems, it waits behind its gate, descriptor 3. */
async function start(
  command: string,
  args: readonly string[],
  { cwd, env }: ProgramPlace,
): Promise<ChildProcessWithoutNullStreams> {
  const isWindows = process.platform === 'win32';
  const place = { ...(cwd === undefined ? {} : { cwd }), env };
  const program = isWindows ? command : await findProgram(command, place);
  const pipe = 'pipe' as const;
  try {
    const child = isWindows
      ? spawn(program, args, place)
      : spawn('/bin/sh', ['-c', gateProgram, 'sh', program, ...args], {
          ...place,
          detached: true,
          stdio: [pipe, pipe, pipe, pipe],
        });
    // If a process ends before it has read everything, only its ending reports this.
    child.stdin.on('error', () => undefined);
    await once(child, 'spawn');
    return child;
  } catch (error) {
    throw notStarted(command, (error as Error).message, (error as NodeJS.ErrnoException).code);
  }
}
