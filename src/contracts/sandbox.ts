/** What programs in a sandbox may use. */
export interface SandboxOptions {
  /**
   * Files and folders of this machine that programs may read, besides the system's programs and libraries (`/usr`).
   * Everything else does not exist for them. Absent: none.
   */
  readonly read?: readonly string[];
  /** Files and folders below `/usr` or `read` that are empty for them. Absent: none. */
  readonly hide?: readonly string[];
  /** Memory of all programs together; default 512. */
  readonly megabytes?: number;
  /** Size of the folder that they may write; default 64. It counts apart from `megabytes`; a cgroup limits the sum of both. */
  readonly diskMegabytes?: number;
  /** Files and folders in it; default 10,000. */
  readonly files?: number;
  /** Processes at a time, with threads of the system's own shell; default 64. */
  readonly processes?: number;
  /** Environment variables, besides PATH, HOME, LANG and TMPDIR. */
  readonly env?: { readonly [name: string]: string };
}

/** How a program is run. */
export interface SandboxCall {
  /** Its standard input; absent: empty. */
  readonly input?: string | Uint8Array;
  /** Longest time; default 10. */
  readonly seconds?: number;
  /** Most bytes of standard output and error together; default 1 Mi. */
  readonly outputBytes?: number;
  /** Aborting it kills the program. */
  readonly signal?: AbortSignal;
}

/** A limit that ended a program. */
export type SandboxLimit = 'seconds' | 'memory' | 'processes' | 'output' | 'files';

/** How a program ended. */
export interface SandboxResult {
  /** Its exit code; null: it was killed. Codes above 128 of a shell tell of a signal. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The limit that ended it; absent: it ended by itself. */
  readonly limit?: SandboxLimit;
  readonly milliseconds: number;
}

/**
 * A place in which programs of an agent run. They have no network, see no processes but their own, and write only their
 * working folder. They end with the program that was run, with the sandbox, and with agentgym, however it ends.
 */
export interface Sandbox {
  /** Names it, for records. */
  readonly id: string;
  /** The folder that programs may write, as they see it. It is their working folder, and empty at first. */
  readonly folder: string;
  /**
   * Runs a program to its end, and kills everything that it leaves behind. No shell reads the arguments. Rejects with the reason
   * of an aborted signal, and if the sandbox is closed.
   */
  run(command: string, args?: readonly string[], call?: SandboxCall): Promise<SandboxResult>;
  /** Writes a file below the folder, with the folders that lead to it. Rejects if there is no room. */
  write(path: string, content: string | Uint8Array): Promise<void>;
  /** The content of a file below the folder; undefined if there is none. Rejects if it is longer than `bytes`, 1 Mi by default. */
  read(path: string, bytes?: number): Promise<Uint8Array | undefined>;
  /** Ends everything in it. May be called twice. */
  close(): Promise<void>;
}
