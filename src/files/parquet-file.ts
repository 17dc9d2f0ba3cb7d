import { fileWriter, ParquetWriter, schemaFromColumnData, type BasicType } from 'hyparquet-writer';

import type { Json } from '../contracts/json.js';
import type { ColumnType, TableColumn, TableFile, TableRow } from './table-file.js';

/**
 * A row group ends at the first limit that is reached. This bounds the writer's memory and the least amount that a
 * reader must read.
 */
const groupRows = 20_000;
const groupCharacters = 16 << 20;

const basicTypes: { readonly [type in ColumnType]: BasicType } = {
  string: 'STRING',
  int: 'INT64',
  double: 'DOUBLE',
  boolean: 'BOOLEAN',
  json: 'JSON',
};

/** A Parquet file, compressed by Snappy; every column may hold nulls. */
export class ParquetFile implements TableFile {
  readonly #columns: readonly { readonly column: TableColumn; values: (Json | bigint)[] }[];
  readonly #writer: ParquetWriter;
  #rows = 0;
  #characters = 0;

  constructor(path: string, columns: readonly TableColumn[]) {
    this.#columns = columns.map((column) => ({ column, values: [] }));
    const columnData = columns.map(({ name, type }) => ({ name, data: [], type: basicTypes[type], nullable: true }));
    this.#writer = new ParquetWriter({
      writer: fileWriter(path),
      schema: schemaFromColumnData({ columnData }),
      createdBy: 'agentgym',
    });
  }

  write(row: TableRow): void {
    for (const { column, values } of this.#columns) {
      const value = row[column.name] ?? null;
      values.push(column.type === 'int' && typeof value === 'number' ? BigInt(value) : value);
      if (typeof value === 'string') this.#characters += value.length;
      else if (typeof value === 'object' && value !== null) this.#characters += JSON.stringify(value).length;
    }
    this.#rows++;
    if (this.#rows >= groupRows || this.#characters >= groupCharacters) this.#writeGroup();
  }

  close(): void {
    this.#writeGroup();
    // The file writer is synchronous: this does not return a promise.
    void this.#writer.finish();
  }

  #writeGroup(): void {
    if (this.#rows === 0) return;
    const columnData = this.#columns.map(({ column, values }) => ({ name: column.name, data: values }));
    void this.#writer.write({ columnData, rowGroupSize: this.#rows });
    for (const column of this.#columns) column.values = [];
    this.#rows = 0;
    this.#characters = 0;
  }
}
