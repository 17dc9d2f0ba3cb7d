import type { Readable, Writable } from 'node:stream';

import type { DataColumns, DataSet, DataSetOptions } from './data-set.js';
import type { Call, World } from './environment.js';
import type { OutsideFiles } from './files.js';
import type { JsonObject } from './json.js';
import type { Random } from './random.js';
import type { FoundRequirement } from './requirement.js';
import type { Sandbox, SandboxOptions } from './sandbox.js';
import type { TextScene, TextView } from './text-view.js';
import type { HostFetch, OpenJson } from './wire.js';

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
  /** Asks a server, inside limits; every request of a plugin goes through it. A server that asks for a long wait is named in `log`. */
  readonly fetch: HostFetch;
  /** Opens what a server answered, so that its faults are found where it is read. */
  readonly openJson: OpenJson;
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

/** How a program that answers questions is started, and what it may do. */
export interface JsonLinesOptions extends SpawnOptions {
  /** Longest time of an answer; default 600 s. A question may have less time by its `signal`. */
  readonly seconds?: number;
  /** Longest line that the program may write, in UTF-16 code units; default 16 Mi. A longer one ends the program. */
  readonly maximumLine?: number;
  /**
   * Several episodes share the program. If it ends, its errors have the code UNAVAILABLE: the run stops, and can be
   * resumed. Default: false, where only the episode that asks fails.
   */
  readonly shared?: boolean;
}

/**
 * A program that answers questions. A question is a line of JSON in ASCII on its standard input, `{"id": 7, ...}`,
 * and its answer a line on its standard output, `{"id": 7, "answer": ...}` or `{"id": 7, "error": "..."}`. Several questions
 * may be open at once; answers come in any order. Any other line on standard output is a fault that ends the program:
 * it prints messages to standard error, and errors quote them.
 */
export interface JsonLinesProcess<Question extends object, Answer> {
  /**
   * The answer to a question, as the program wrote it. `id` is added to the question. Rejects with the program's
   * `error`; with how the program ended and what it printed last; after `seconds`; or with the reason of an abort.
   * The program lives on after the first and the last two: `end` kills it if it is still busy.
   */
  ask(question: Question, call?: { readonly signal: AbortSignal }): Promise<Answer>;
  /** Kills the program and everything that it started, and waits until it is gone. May be called twice. */
  end(): Promise<void>;
}

/** How much of something there is for all episodes of a run together, in all threads. */
export interface SharedLimitOptions {
  /** Turns at the same time; absent: any number. */
  readonly atOnce?: number;
  /** Turns that begin within a minute; absent: any number. */
  readonly perMinute?: number;
}

/** How the processes of a world are started, and what they may do. */
export interface WorldProgramOptions extends Omit<SpawnOptions, 'signal'> {
  /** What the program is told when it opens the world, such as the options of the environment. Absent: nothing. */
  readonly options?: JsonObject;
  /** Number of processes, which share the instances evenly; absent: 1. */
  readonly processes?: number;
  /** Longest line that the program may write, in UTF-16 code units; default 16 Mi. A longer one ends the process. */
  readonly maximumLine?: number;
}

/**
 * The host of an environment or a tool. It has no random stream: randomness belongs to an episode, and its calls bring
 * their own streams. So nothing depends on the order in which instances are created.
 */
export interface EnvironmentHost extends Omit<Host, 'random'> {
  /** What the environment requires, by name. All of it is there. */
  readonly found: { readonly [name: string]: FoundRequirement };
  /**
   * Starts a child process that ends with the run, however the run ends, including `kill -9`; its descendants end too.
   * `command` is found on the PATH of `env`. No shell reads the arguments. Rejects if the process cannot be started.
   */
  spawn(command: string, args?: readonly string[], options?: SpawnOptions): Promise<ChildProcess>;
  /** Starts a program like `spawn`, and asks it questions in lines of JSON. */
  spawnJsonLines<Question extends object, Answer>(
    command: string,
    args?: readonly string[],
    options?: JsonLinesOptions,
  ): Promise<JsonLinesProcess<Question, Answer>>;
  /**
   * Opens a world that a program plays, in one process or several, with any number of instances in each. The program
   * speaks lines of JSON: docs/world-programs.md. In Python it needs `from agentgym_world import serve`, which
   * is on its path.
   *
   * A call that ends its process, or takes longer than its deadline, fails its own episode. The process is replaced, and the
   * other episodes are replayed with the same seeds and actions; one that gets another answer than before fails. A
   * world that says that it is external is not replayed.
   */
  openProgram(command: string, args?: readonly string[], options?: WorldProgramOptions): Promise<World>;
  /**
   * Waits for a turn of a limit that all episodes of the run share: ports of this machine, processes, requests to a service.
   * Whoever asks first goes first. The deadline of `call` does not run while it waits, and the wait is no time of the call.
   * A limit is declared where it is used, with the same numbers everywhere in the package.
   *
   * @returns a function that ends the turn; it may be called twice
   */
  takeTurn(limit: string, options: SharedLimitOptions, call: Call): Promise<() => void>;
  /**
   * Opens a sandbox for programs that an agent writes, by bubblewrap. Rejects with AG_SANDBOX where there is none. A plugin
   * closes it; it also ends with the run, however the run ends.
   */
  openSandbox(options?: SandboxOptions): Promise<Sandbox>;
  /**
   * Opens the rows of a data set in files, of which there may be millions. The first time it reads them all, checks every
   * row, and keeps an index in `cacheDirectory`; this takes some seconds for a million rows. Rejects with AG_DATA if a
   * file or a row is not as declared, and with AG_DATA_CHANGED if a file is not as `expected`. A plugin lets both pass.
   */
  openDataSet<const Columns extends DataColumns>(options: DataSetOptions<Columns>): Promise<DataSet<Columns>>;
  /** The observation of a text world in the view that its options of the group `view` ask for. */
  composeObservation(scene: TextScene, view: TextView): string;
}
