import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';

import type { DataFile } from '@agentgym/cli';

const bench = new URL('../../bench/data/', import.meta.url);
const script = fileURLToPath(new URL('use-rows.js', bench));

/** Writes many rows to a file, of the format of its name. */
export const { writeRows } = (await import(new URL('write-rows.js', bench).href)) as {
  writeRows: (path: string, rows: number) => Promise<void>;
};

/** What a process did that opened a data set and read some rows. */
export interface RowUse {
  readonly rows: number;
  readonly splitCounts: Readonly<Record<string, number>>;
  /** Highest resident memory until the data set was open, in bytes. */
  readonly memory: number;
  /** Bytes that it read to open it; absent where the system does not count them. */
  readonly read?: number;
  readonly files: readonly DataFile[];
}

/** Opens a file of `writeRows` in a process of its own, and checks `reads` rows in several orders. */
export async function useRows(file: string, cache: string, reads: number): Promise<RowUse> {
  const { stdout } = await promisify(execFile)(process.execPath, [script, file, cache, String(reads)]);
  return JSON.parse(stdout) as RowUse;
}
