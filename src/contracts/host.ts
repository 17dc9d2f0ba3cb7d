import type { Readable, Writable } from 'node:stream';

import type { OutsideFiles } from './files.js';
import type { Random } from './random.js';
import type { TextScene, TextView } from './text-view.js';

/** Messages of a plugin to the user: on standard error, or in the log of the run. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
}

/** The host passes this to a plugin. A plugin imports only types; everything that it needs at run time is here. */
export interface Host {
  /** The random stream of the plugin. */
  readonly random: Random;
  readonly log: Log;
  /** Aborted when the user interrupts; long work should check it. */
  readonly signal: AbortSignal;
  /** A folder that outlives the process, for downloads and compiled files. The first writer creates it. */
  readonly cacheDirectory: string;
  /** Reads files that somebody else wrote. */
  readonly files: OutsideFiles;
}

/** How a child process is started. */
export interface SpawnOptions {
  /** Its working directory; absent: that of this process. */
  readonly cwd?: string;
  /** Its environment variables; absent: those of this process. */
  readonly env?: { readonly [name: string]: string | undefined };
  /** Aborting it kills the process and all its descendants. */
  readonly signal?: AbortSignal;
}

/** A child process that ends with the run. */
export interface ChildProcess {
  readonly pid: number;
  /** Data written to a process that has ended is lost; only the callback of `write` reports this. */
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /**
   * Resolves when the process has exited, with a code or by a signal. Unread output may remain: wait for the end of the
   * streams.
   */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  /** Sends a signal (default SIGKILL) to the process and all its descendants. */
  kill(signal?: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): void;
}

/**
 * The host of an environment or a tool. It has no random stream: randomness belongs to an episode, and its calls bring
 * their own streams. So nothing depends on the order in which instances are created.
 */
export interface EnvironmentHost extends Omit<Host, 'random'> {
  /**
   * Starts a child process that ends with the run, however the run ends, including `kill -9`; its descendants end too.
   * `command` is found on the PATH of `env`. No shell reads the arguments. Rejects if the process cannot be started.
   */
  spawn(command: string, args?: readonly string[], options?: SpawnOptions): Promise<ChildProcess>;
  /** The observation of a text world in the view that its options of the group `view` ask for. */
  composeObservation(scene: TextScene, view: TextView): string;
}
