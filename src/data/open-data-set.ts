import { createHash } from 'node:crypto';
import { endianness } from 'node:os';
import { join } from 'node:path';
import { mkdir } from 'node:fs/promises';

import type {
  DataColumns,
  DataFile,
  DataRow,
  DataSet,
  DataSetOptions,
  DataSplit,
  DataSplits,
} from '../contracts/data-set.js';
import type { Host } from '../contracts/host.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { buildIndex, type IndexedFile } from './build-index.js';
import { refuseChanged, refuseTwins } from './compare-files.js';
import { fileIdentity } from './file-identity.js';
import { findDataFiles, type FoundFile } from './find-data-files.js';
import { IndexFile } from './index-file.js';
import { jsonRows } from './json-rows.js';
import { OpenedFile } from './opened-file.js';
import { parquetRows } from './parquet-rows.js';
import { RowIndex } from './row-index.js';
import { type ColumnShape, shapesOf, valueOf } from './row-shape.js';
import type { RawRow } from './rows.js';
import { dataSplitNames, SplitRule } from './split-rule.js';

/** Where indexes are kept, and who is told that one is made. */
export type DataSetHost = Pick<Host, 'cacheDirectory' | 'log' | 'signal'>;

/**
 * Opens a data set. The first time all files are read once, every row is checked, and an index is written to the cache
 * folder, by the hash of the content. Later only the index is opened. Several threads and processes may do so at once.
 *
 * @throws AG_DATA if a file or a row is not as declared, AG_DATA_CHANGED if it is not as `expected`, AG_FILE_REFUSED if a
 *   file is no regular file, the error of the operating system if it cannot be read, the reason of the signal
 */
export async function openDataSet<const Columns extends DataColumns>(
  options: DataSetOptions<Columns>,
  host: DataSetHost,
): Promise<DataSet<Columns>> {
  const rule = new SplitRule(options.splits);
  const found = await findDataFiles(options);
  const opened: OpenedFile[] = [];
  try {
    for (const { path } of found) opened.push(await OpenedFile.open(path));
    return await openRows(options, rule, found, opened, host);
  } catch (error) {
    await Promise.all(opened.map((file) => file.close()));
    throw error;
  }
}

async function openRows<Columns extends DataColumns>(
  options: DataSetOptions<Columns>,
  rule: SplitRule,
  found: readonly FoundFile[],
  opened: readonly OpenedFile[],
  { cacheDirectory, log, signal }: DataSetHost,
): Promise<DataSet<Columns>> {
  const cache = join(cacheDirectory, 'data-sets');
  await mkdir(cache, { recursive: true });
  const files: DataFile[] = [];
  for (const [place, file] of opened.entries()) {
    const { name, part } = found[place] as FoundFile;
    files.push({ name, part, bytes: file.bytes, sha256: await fileIdentity(file, cache, signal) });
  }
  refuseTwins(files, found);
  if (options.expected !== undefined) refuseChanged(files, found, options.expected);

  const declared = shapesOf(options.columns);
  const labels = [options.cluster, ...(options.labels ?? [])].filter((name) => name !== undefined);
  const shapes = [...declared, ...labels.map((name): ColumnShape => ({ name, type: 'label', optional: true }))];
  const { id, part, key = '' } = options;
  const columns = [...new Set(shapes.map(({ name }) => name))];
  const names = [id, part].filter((name) => name !== undefined && !columns.includes(name)) as string[];
  const readers: IndexedFile[] = [];
  for (const [place, file] of opened.entries()) {
    const { format, part: of } = found[place] as FoundFile;
    const rows = format === 'json' ? jsonRows(file) : await parquetRows(file, columns, names);
    readers.push({ path: file.path, bytes: file.bytes, part: of, rows });
  }

  const contents = files.map(({ sha256, part: of }, place) => [sha256, of, found[place]?.format]);
  const made = { version: 1, endianness: endianness(), contents, shapes, id, part, splits: options.splits, key };
  const digest = createHash('sha256').update(JSON.stringify(made)).digest('hex');
  const path = join(cache, `${digest.slice(0, 32)}.index`);
  let file = openIndex(path);
  if (file === undefined) {
    const megabytes = Math.ceil(files.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6);
    if (megabytes > 20) log.info(`reads ${megabytes} MB of rows once, to check and index them`);
    await buildIndex(path, { files: readers, shapes, id, part, rule, key }, signal);
    file = new IndexFile(path);
  }
  const index = new RowIndex(file, key);
  return {
    count: index.rows,
    files,
    ...rowFunctions(options, declared, index, readers),
    splits: splitsOf(index),
    close: async () => {
      index.close();
      await Promise.all(opened.map((each) => each.close()));
    },
  };
}

/** The index at a path; undefined if there is none, or only a damaged one. */
function openIndex(path: string): IndexFile | undefined {
  try {
    return new IndexFile(path);
  } catch {
    return undefined;
  }
}

function rowFunctions<Columns extends DataColumns>(
  { cluster, labels = [] }: DataSetOptions<Columns>,
  declared: readonly ColumnShape[],
  index: RowIndex,
  files: readonly IndexedFile[],
): Pick<DataSet<Columns>, 'splitOf' | 'row' | 'about'> {
  const rowOf = (id: string): number => {
    const row = index.rowOf(id);
    if (row !== undefined) return row;
    throw new AgentgymError('AG_DATA', {
      message: `No row has the id "${id}".`,
      hint: 'The id is of another data set, or its row was removed.',
    });
  };
  const rawRow = async (id: string): Promise<RawRow> => {
    const row = rowOf(id);
    const { file, first } = index.fileOf(row);
    const scanned = { rows: index.rowsOf(file), startOf: (at: number) => index.startOf(file, at) };
    return (files[file] as IndexedFile).rows.row(row - first, scanned);
  };
  const labelOf = (row: RawRow, name: string) =>
    valueOf(row, { name, type: 'label', optional: true }) as string | number | null;
  return {
    splitOf: (id) => index.splitOf(rowOf(id)),
    row: async (id) => {
      const row = await rawRow(id);
      return Object.fromEntries(declared.map((shape) => [shape.name, valueOf(row, shape)])) as DataRow<Columns>;
    },
    about: async (id) => {
      const row = await rawRow(id);
      const named = cluster === undefined ? null : labelOf(row, cluster);
      const given = labels.flatMap((name) => {
        const value = labelOf(row, name);
        return value === null ? [] : [[name, value] as const];
      });
      return {
        ...(named !== null && { cluster: String(named) }),
        ...(given.length > 0 && { labels: Object.fromEntries(given) }),
      };
    },
  };
}

function splitsOf(index: RowIndex): DataSplits<DataSplit> {
  const splits = dataSplitNames.map((split) => {
    const count = index.countOf(split);
    const id = (place: number) => index.idOf(index.rowIn(split, place));
    return [split, { count, id, random: (random) => id(random.integer(0, count)) } satisfies DataSplit] as const;
  });
  return Object.fromEntries(splits.filter(([, { count }]) => count > 0));
}
