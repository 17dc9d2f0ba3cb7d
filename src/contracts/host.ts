import type { Readable, Writable } from 'node:stream';

import type { Random } from './random.js';

/** A plugin's line to the user: standard error, or the run's log. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
}

/** What a plugin is handed. A plugin imports types only; all it needs at run time is in here. */
export interface Host {
  /** A stream of its own. */
  readonly random: Random;
  readonly log: Log;
  /** Aborted when the user interrupts; long work should listen. */
  readonly signal: AbortSignal;
  /**
   * A folder that outlives the process, for downloads and compiled things; created on first use by whoever writes
   * there.
   */
  readonly cacheDirectory: string;
}

/** How a child process is started. */
export interface SpawnOptions {
  /** Its working directory; absent: that of this process. */
  readonly cwd?: string;
  /** Its environment variables; absent: those of this process. */
  readonly env?: { readonly [name: string]: string | undefined };
  /** An abort kills the process and all that it started. */
  readonly signal?: AbortSignal;
}

/** A child process that ends with the run. */
export interface ChildProcess {
  readonly pid: number;
  /** What is written to a process that has ended is lost, which is told by the callback of `write` alone. */
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /**
   * Resolves when it has exited, with a code or by a signal. Its last output may not be read yet: wait for the end of
   * the streams.
   */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  /** Sends a signal, SIGKILL unless told, to the process and all that it started. */
  kill(signal?: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): void;
}

/**
 * What an environment or a tool is handed. It has no stream of random numbers: what is random belongs to an episode,
 * whose calls bring their own, so that nothing depends on the order in which instances are made.
 */
export interface EnvironmentHost extends Omit<Host, 'random'> {
  /**
   * Starts a child process that ends with the run, however that ends, `kill -9` included; whatever it starts itself
   * ends too. `command` is found on the PATH of `env`, and its arguments are read by no shell. Rejects where it cannot
   * be started.
   */
  spawn(command: string, args?: readonly string[], options?: SpawnOptions): Promise<ChildProcess>;
}
