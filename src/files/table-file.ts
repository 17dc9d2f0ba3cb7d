import type { Json } from '../contracts/json.js';

/** `json` holds maps and lists; numbers in `double` columns may be NaN or infinite. */
export type ColumnType = 'string' | 'int' | 'double' | 'boolean' | 'json';

export interface TableColumn {
  readonly name: string;
  readonly type: ColumnType;
}

/** Values by column name; an absent or null value is missing. */
export type TableRow = { readonly [column: string]: Json | undefined };

/** A table that is written row by row, so that it may be larger than memory. */
export interface TableFile {
  write(row: TableRow): void;
  /** Writes the buffered rows. */
  close(): void;
}
