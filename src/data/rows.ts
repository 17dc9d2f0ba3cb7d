/** A row of a file, before its columns are checked. A text may be its bytes in UTF-8, which most readers do not decode. */
export interface RawRow {
  readonly [column: string]: unknown;
}

/** Consecutive rows of a file. */
export interface RowBatch {
  readonly rows: readonly RawRow[];
  /** Where each row starts in the file, in bytes; absent if the format has another way to find rows. */
  readonly starts?: readonly number[];
}

/** The rows of an open file. */
export interface RowFile {
  /** Whether its rows are lines. */
  readonly lines: boolean;
  /** All rows in order. */
  scan(signal: AbortSignal): AsyncGenerator<RowBatch>;
  /** A row of a file that was scanned without an error. */
  row(row: number, file: ScannedFile): Promise<RawRow>;
}

/** What a scan found. */
interface ScannedFile {
  readonly rows: number;
  /** Where a row starts in the file, in bytes, if rows are lines; for the row after the last the end of the file. */
  readonly startOf: (row: number) => number;
}
