import {
  type AsyncBuffer,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
} from 'hyparquet';
import { isFlatColumn } from 'hyparquet/src/schema.js';

import { isAgentgymError } from '../errors/agentgym-error.js';
import { messageOf } from '../errors/message-of.js';
import { dataError } from './data-error.js';
import type { OpenedFile } from './opened-file.js';
import { boundedCompressors, ParquetColumn, parsers } from './parquet-column.js';
import { plainScalar, plainValue } from './plain-value.js';
import { RecentlyUsed } from './recently-used.js';
import type { RawRow, RowBatch, RowFile } from './rows.js';

const batchRows = 4096;
const magic = 'PAR1';

/** Values of a column in a row group, from a row up to another. */
type ReadColumn = (group: number, first: number, end: number) => Promise<readonly unknown[]>;

/**
 * The rows of a Parquet file with some of its columns; all others are left alone.
 *
 * @param columns those of a row
 * @param more further ones that a scan gives
 * @throws AG_DATA if the file is truncated, is not Parquet, or lacks a column
 */
export async function parquetRows(
  file: OpenedFile,
  columns: readonly string[],
  more: readonly string[],
): Promise<RowFile> {
  for (const start of [0, file.bytes - magic.length]) {
    if (file.bytes < 3 * magic.length || String(await file.read(start, start + magic.length)) !== magic) {
      const hint = 'It is truncated, or not a Parquet file: download or write it again.';
      throw dataError(file.path, { problem: `does not ${start === 0 ? 'begin' : 'end'} with ${magic}`, hint });
    }
  }
  return asParquet(file, async () => {
    const metadata = await parquetMetadataAsync(asBuffer(file), { geoparquet: false });
    const [ofRow, others] = [columns, more].map((names) => names.map((name) => columnReader(file, metadata, name)));
    return new ParquetRows(file, metadata, ofRow as NamedReader[], others as NamedReader[]);
  });
}

type NamedReader = readonly [name: string, read: ReadColumn];

function columnReader(file: OpenedFile, metadata: FileMetaData, name: string): NamedReader {
  const root = parquetSchema(metadata);
  const column = root.children.find(({ element }) => element.name === name);
  if (column === undefined) {
    const present = root.children.map(({ element }) => element.name).join(', ');
    throw dataError(file.path, { problem: `has no column "${name}"`, hint: `Its columns are ${present}.` });
  }
  if (!isFlatColumn([root, column])) return [name, nestedColumn(file, metadata, name)];
  const flat = new ParquetColumn(file, metadata, [root, column]);
  return [name, async (...place) => (await flat.values(...place)).map(plainScalar)];
}

class ParquetRows implements RowFile {
  readonly lines = false;
  readonly #file: OpenedFile;
  readonly #groups: readonly { readonly first: number; readonly rows: number }[];
  readonly #ofRow: readonly NamedReader[];
  readonly #others: readonly NamedReader[];

  constructor(file: OpenedFile, metadata: FileMetaData, ofRow: readonly NamedReader[], others: readonly NamedReader[]) {
    let first = 0;
    this.#groups = metadata.row_groups.map((group) => {
      const rows = Number(group.num_rows);
      first += rows;
      return { first: first - rows, rows };
    });
    this.#file = file;
    this.#ofRow = ofRow;
    this.#others = others;
  }

  async *scan(signal: AbortSignal): AsyncGenerator<RowBatch> {
    const columns = [...this.#ofRow, ...this.#others];
    for (const [group, { rows }] of this.#groups.entries()) {
      for (let start = 0; start < rows; start += batchRows) {
        signal.throwIfAborted();
        yield { rows: await this.#read(columns, group, start, Math.min(start + batchRows, rows)) };
      }
    }
  }

  async row(row: number): Promise<RawRow> {
    const group = this.#groups.findLastIndex(({ first, rows }) => rows > 0 && first <= row);
    const start = row - (this.#groups[group]?.first ?? 0);
    return (await this.#read(this.#ofRow, group, start, start + 1))[0] as RawRow;
  }

  #read(columns: readonly NamedReader[], group: number, first: number, end: number): Promise<readonly RawRow[]> {
    return asParquet(this.#file, async () => {
      const rows = Array.from({ length: end - first }, (): Record<string, unknown> => ({}));
      for (const [name, read] of columns) {
        const values = await read(group, first, end);
        for (const [place, row] of rows.entries()) row[name] = values[place];
      }
      return rows;
    });
  }
}

/** A column of lists or structures: hyparquet puts them together, for a whole row group at once. */
function nestedColumn(file: OpenedFile, metadata: FileMetaData, name: string): ReadColumn {
  const values = new RecentlyUsed<number, Promise<readonly unknown[]>>(1);
  // Not the places of all other columns.
  const groups = metadata.row_groups.map((group) => ({
    ...group,
    columns: group.columns.filter(({ meta_data: meta }) => meta?.path_in_schema[0] === name),
  }));
  const readGroup = async (group: number) => {
    const settings = { columns: [name], parsers, compressors: boundedCompressors };
    const only = { ...metadata, row_groups: groups.slice(group, group + 1) };
    const rows = await parquetReadObjects({ file: asBuffer(file), metadata: only, ...settings });
    return rows.map((row) => row[name] as unknown);
  };
  return async (group, first, end) => {
    return (await values.get(group, () => readGroup(group))).slice(first, end).map(plainValue);
  };
}

/** The file as hyparquet reads it. Places come from the file itself, and are checked. */
function asBuffer(file: OpenedFile): AsyncBuffer {
  return {
    byteLength: file.bytes,
    async slice(start, end = file.bytes) {
      if (!(start >= 0 && start <= end && end <= file.bytes)) throw new Error(`bytes at ${start} are not in the file`);
      return (await file.read(start, end)).buffer;
    },
  };
}

async function asParquet<T>(file: OpenedFile, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    if (isAgentgymError(cause)) throw cause;
    const hint = 'It is damaged, or written in a way that hyparquet does not read: download or write it again.';
    throw dataError(file.path, { problem: `cannot be read as Parquet (${messageOf(cause)})`, hint, cause });
  }
}
