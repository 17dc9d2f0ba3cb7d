// RFC 4180: CRLF after every record and after the header. Cells with a comma, a quote or a line break are quoted. A
// missing value is an empty cell; an empty text is a quoted empty cell.
import { closeSync, openSync, writeSync } from 'node:fs';

import type { Json } from '../contracts/json.js';
import type { ColumnType, TableColumn, TableFile, TableRow } from './table-file.js';

/** Characters that are buffered before a write. */
const held = 1 << 18;

export class CsvFile implements TableFile {
  readonly #descriptor: number;
  readonly #columns: readonly TableColumn[];
  #pending: string[] = [];
  #length = 0;

  constructor(path: string, columns: readonly TableColumn[]) {
    this.#descriptor = openSync(path, 'w');
    this.#columns = columns;
    this.#add(columns.map(({ name }) => csvCell(name, 'string')));
  }

  write(row: TableRow): void {
    this.#add(this.#columns.map(({ name, type }) => csvCell(row[name], type)));
  }

  close(): void {
    try {
      this.#flush();
    } finally {
      closeSync(this.#descriptor);
    }
  }

  #add(cells: readonly string[]): void {
    const record = `${cells.join(',')}\r\n`;
    this.#pending.push(record);
    this.#length += record.length;
    if (this.#length >= held) this.#flush();
  }

  #flush(): void {
    const bytes = Buffer.from(this.#pending.join(''));
    for (let done = 0; done < bytes.length;) done += writeSync(this.#descriptor, bytes, done);
    this.#pending = [];
    this.#length = 0;
  }
}

/** A value as a CSV cell. */
function csvCell(value: Json | undefined, type: ColumnType): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = type !== 'json' && typeof value === 'string' ? asText(value) : JSON.stringify(value);
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Puts an apostrophe before text that a spreadsheet would read as a formula (OWASP, "CSV Injection"). Text that begins
 * with an apostrophe gets one too, so a reader who always removes one leading apostrophe recovers the text.
 */
function asText(text: string): string {
  return /^(['\t\r\n]|\s*[=+\-@＝＋－＠])/u.test(text) ? `'${text}` : text;
}
