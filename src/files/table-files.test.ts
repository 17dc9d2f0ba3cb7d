import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';

import { CsvFile } from './csv-file.js';
import { ParquetFile } from './parquet-file.js';
import type { TableColumn, TableRow } from './table-file.js';

const columns: readonly TableColumn[] = [
  { name: 'text', type: 'string' },
  { name: 'count', type: 'int' },
  { name: 'loss/a.b', type: 'double' },
  { name: 'won', type: 'boolean' },
  { name: 'details', type: 'json' },
];
const rows: readonly TableRow[] = [
  { text: 'a, "b"\r\nc', count: 3, 'loss/a.b': 0.1, won: true, details: { a: ['=1'] } },
  { text: '', count: 0, 'loss/a.b': Number.NaN, won: false, details: [] },
  { 'loss/a.b': -Infinity },
  { text: '\u2028 é 🎲', count: 2 ** 40, 'loss/a.b': 2, details: null },
];

function newPath(): string {
  return join(mkdtempSync(join(tmpdir(), 'agentgym-table-')), 'table');
}

/**
 * Parses records by the grammar of RFC 4180, character by character. A quoted empty cell is '', an unquoted one null.
 */
function parseCsv(text: string): (string | null)[][] {
  const records: (string | null)[][] = [];
  for (let at = 0; at < text.length;) {
    const record: (string | null)[] = [];
    for (;;) {
      let cell = '';
      const quoted = text[at] === '"';
      if (quoted) {
        for (at++; text[at] !== '"' || text[at + 1] === '"'; at++) {
          if (text[at] === '"') at++;
          cell += text[at];
        }
        at++;
      } else {
        for (; at < text.length && text[at] !== ',' && text[at] !== '\r'; at++) cell += text[at];
        if (/["\n]/.test(cell)) throw new Error(`${cell} is not quoted`);
      }
      record.push(!quoted && cell === '' ? null : cell);
      if (text[at] !== ',') break;
      at++;
    }
    if (text.slice(at, at + 2) !== '\r\n') throw new Error(`no line end at ${at}`);
    at += 2;
    records.push(record);
  }
  return records;
}

function writeCsv(types: readonly TableColumn[], lines: readonly TableRow[]): string {
  const path = newPath();
  const file = new CsvFile(path, types);
  for (const row of lines) file.write(row);
  file.close();
  return readFileSync(path, 'utf8');
}

describe('CSV', () => {
  it('is what RFC 4180 says, and tells an empty text from a missing value', () => {
    expect(parseCsv(writeCsv(columns, rows))).toEqual([
      ['text', 'count', 'loss/a.b', 'won', 'details'],
      ['a, "b"\r\nc', '3', '0.1', 'true', '{"a":["=1"]}'],
      ['', '0', 'NaN', 'false', '[]'],
      [null, null, '-Infinity', null, null],
      ['\u2028 é 🎲', String(2 ** 40), '2', null, null],
    ]);
  });

  // Goes red when one of these characters is forgotten. Goes red when text that begins with an apostrophe is not
  // escaped:
  // reading would then remove the apostrophe.
  it('lets no text become a formula, and every text come back', () => {
    const texts = [
      '=1+1',
      '+1',
      '-2',
      '@SUM(A1)',
      '\t=1',
      '\r=1',
      '\n=1',
      ' =1',
      '＝1',
      "'quoted",
      "''",
      "'=1",
      'a=1',
      '5',
      'x',
    ];
    const [, ...cells] = parseCsv(
      writeCsv(
        [{ name: 'text', type: 'string' }],
        texts.map((text) => ({ text })),
      ),
    ).flat();
    for (const cell of cells) expect(cell).not.toMatch(/^\s*[=+\-@＝\t\r\n]/);
    expect(cells.map((cell) => cell!.replace(/^'/, ''))).toEqual(texts);
    expect(cells.filter((cell, i) => cell === texts[i])).toEqual(['a=1', '5', 'x']);
    expect(writeCsv([{ name: '=cmd', type: 'double' }], [])).toBe("'=cmd\r\n");
  });

  it('writes more than it holds back', () => {
    const many = Array.from({ length: 3000 }, (_, i) => ({ text: `${i} ${'x'.repeat(200)}` }));
    const [, ...cells] = parseCsv(writeCsv([{ name: 'text', type: 'string' }], many)).flat();
    expect(cells).toEqual(many.map(({ text }) => text));
  });
});

describe('Parquet', () => {
  it('has real types, and nulls for what is missing', async () => {
    const path = newPath();
    const file = new ParquetFile(path, columns);
    for (const row of rows) file.write(row);
    file.close();
    const buffer = await asyncBufferFromFile(path);
    const { schema } = await parquetMetadataAsync(buffer);
    expect(schema.slice(1).map(({ name, type, converted_type }) => [name, type, converted_type])).toEqual([
      ['text', 'BYTE_ARRAY', 'UTF8'],
      ['count', 'INT64', undefined],
      ['loss/a.b', 'DOUBLE', undefined],
      ['won', 'BOOLEAN', undefined],
      ['details', 'BYTE_ARRAY', 'JSON'],
    ]);
    expect(await parquetReadObjects({ file: buffer })).toEqual([
      { text: 'a, "b"\r\nc', count: 3n, 'loss/a.b': 0.1, won: true, details: { a: ['=1'] } },
      { text: '', count: 0n, 'loss/a.b': Number.NaN, won: false, details: [] },
      { text: null, count: null, 'loss/a.b': -Infinity, won: null, details: null },
      { text: '\u2028 é 🎲', count: BigInt(2 ** 40), 'loss/a.b': 2, won: null, details: null },
    ]);
  });

  // Goes red when rows are buffered until the end.
  it('writes row groups as it goes, by rows and by the length of texts', async () => {
    const path = newPath();
    const file = new ParquetFile(path, [
      { name: 'text', type: 'string' },
      { name: 'i', type: 'int' },
    ]);
    // Texts that Snappy cannot compress much, because the file is written in blocks of a megabyte.
    for (let i = 0; i < 60_000; i++) file.write({ text: `${Math.sin(i)} ${Math.cos(i)} ${Math.tan(i)}`, i });
    expect(readFileSync(path).length).toBeGreaterThan(500_000);
    for (let i = 0; i < 40; i++) file.write({ text: `${i}`.repeat(1 << 20), i });
    file.close();
    const buffer = await asyncBufferFromFile(path);
    const { row_groups: groups } = await parquetMetadataAsync(buffer);
    expect(groups.length).toBeGreaterThan(2);
    expect(groups[0]!.num_rows).toBe(20_000n);
    const read = await parquetReadObjects({ file: buffer, columns: ['i'] });
    expect(read.map(({ i }) => Number(i))).toEqual([...Array(60_000).keys(), ...Array(40).keys()]);
  });

  it('may be empty', async () => {
    const path = newPath();
    new ParquetFile(path, columns).close();
    const buffer = await asyncBufferFromFile(path);
    expect((await parquetMetadataAsync(buffer)).num_rows).toBe(0n);
    expect(await parquetReadObjects({ file: buffer })).toEqual([]);
  });
});
