import { existsSync } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { readTextFile } from '../../files/read-whole-file.js';
import { AgentgymError } from '../../errors/agentgym-error.js';
import { systemReason } from '../../errors/system-error.js';
import { CsvFile } from '../../files/csv-file.js';
import { ParquetFile } from '../../files/parquet-file.js';
import type { TableFile } from '../../files/table-file.js';
import { writeJsonAtomically } from '../../runs/durable-files.js';
import type { ExportedRun } from './exported-subjects.js';
import { readTables, scanRuns } from './read-tables.js';
import { tableColumns, tableNames, type TableName } from './table-columns.js';
import { makeFolder } from '../../files/make-folder.js';

export interface WriteTablesRequest {
  readonly runs: readonly ExportedRun[];
  readonly format: 'csv' | 'parquet';
  /** The folder; our own tables in it are replaced. */
  readonly output: string;
  /** Also write into a folder with other content. */
  readonly force: boolean;
  /** Version of this tool. */
  readonly version: string;
}

/** What `report --format csv|parquet --json` prints. */
export interface WrittenTables {
  /** The folder. */
  readonly tables: string;
  readonly format: 'csv' | 'parquet';
  readonly runs: readonly string[];
  readonly rows: { readonly [table in TableName]: number };
  readonly bytes: number;
  readonly notes: readonly string[];
}

/** Marks the tables beside it as ours and complete, and names their types. */
const manifestName = 'tables.json';

const openFile = {
  csv: (...parameters: ConstructorParameters<typeof CsvFile>): TableFile => new CsvFile(...parameters),
  parquet: (...parameters: ConstructorParameters<typeof ParquetFile>): TableFile => new ParquetFile(...parameters),
};

/**
 * Writes runs as a folder of tables. The old tables stay until the new ones are complete.
 *
 * @throws AG_OUTPUT_EXISTS for a folder that is not ours, AG_REPORT_WRITE_FAILED, and as `scanRuns`
 */
export async function writeTables(request: WriteTablesRequest): Promise<WrittenTables> {
  const { format, version } = request;
  const folder = resolve(request.output);
  const isOurs = await refuseOther(folder, request.force);
  const { runs, names, notes } = await scanRuns(request.runs);
  const columns = tableColumns(names);
  const temporary = (table: TableName) => join(folder, `.${table}.${process.pid}.writing`);
  const open = new Map<TableName, TableFile>();
  const rows = Object.fromEntries(tableNames.map((table) => [table, 0])) as Record<TableName, number>;
  try {
    await makeFolder(folder);
    for (const table of tableNames) open.set(table, openFile[format](temporary(table), columns[table]));
    for await (const [table, row] of readTables(runs)) {
      open.get(table)?.write(row);
      rows[table]++;
    }
    for (const [table, file] of open) {
      open.delete(table);
      file.close();
    }
    // From here until the manifest is written again, the folder is not a complete set of tables.
    await rm(join(folder, manifestName), { force: true });
    for (const table of tableNames) {
      // Tables of the other format would contain other runs or older data.
      if (isOurs) await rm(join(folder, `${table}.${format === 'csv' ? 'parquet' : 'csv'}`), { force: true });
      await rename(temporary(table), join(folder, `${table}.${format}`));
    }
    const tables = Object.fromEntries(
      tableNames.map((table) => [table, { file: `${table}.${format}`, rows: rows[table], columns: columns[table] }]),
    );
    await writeJsonAtomically(join(folder, manifestName), { formatVersion: 1, version, format, tables, notes });
  } catch (error) {
    for (const file of open.values()) closeAnyway(file);
    await Promise.all(tableNames.map((table) => rm(temporary(table), { force: true }).catch(() => undefined)));
    throw error instanceof Error && 'errno' in error ? writeFailed(folder, error) : error;
  }
  const sizes = await Promise.all(tableNames.map((table) => stat(join(folder, `${table}.${format}`))));
  const bytes = sizes.reduce((sum, { size }) => sum + size, 0);
  return { tables: folder, format, runs: runs.map(({ directory }) => directory), rows, bytes, notes };
}

/** Whether the folder contains our tables. An empty folder does not, but it is not refused. */
async function refuseOther(folder: string, force: boolean): Promise<boolean> {
  if (!existsSync(folder)) return false;
  const isFolder = (await stat(folder)).isDirectory();
  if (isFolder && (await isTables(join(folder, manifestName)))) return true;
  if (isFolder && (force || (await readdir(folder)).length === 0)) return false;
  throw new AgentgymError('AG_OUTPUT_EXISTS', {
    message: `${folder} already exists, and its contents are not from an export.`,
    hint: isFolder
      ? 'Choose another `--output DIR`, or write into this folder with `--force`.'
      : 'Choose a new folder with `--output DIR`.',
    file: folder,
  });
}

async function isTables(file: string): Promise<boolean> {
  try {
    const manifest = JSON.parse(await readTextFile(file)) as { formatVersion?: unknown; tables?: unknown };
    return manifest.formatVersion === 1 && typeof manifest.tables === 'object';
  } catch {
    return false;
  }
}

/** The disk may be full. Then buffered rows cannot be written, which does not matter. */
function closeAnyway(file: TableFile): void {
  try {
    file.close();
  } catch {
    // The file is deleted anyway.
  }
}

function writeFailed(folder: string, error: unknown): AgentgymError {
  return new AgentgymError('AG_REPORT_WRITE_FAILED', {
    message: `Could not write tables to ${folder}: ${systemReason(error)}.`,
    hint: 'Choose a writable folder with `--output DIR`.',
    file: folder,
    cause: error,
  });
}
