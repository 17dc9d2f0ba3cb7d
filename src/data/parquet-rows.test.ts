import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { DataFolder, questions } from './fixtures/data-folder.js';
import { openDataSet } from './open-data-set.js';
import { OpenedFile } from './opened-file.js';
import { parquetRows } from './parquet-rows.js';

let folder: DataFolder;
beforeEach(async () => {
  folder = await DataFolder.make();
});
afterEach(() => folder.remove());

const columns = { question: 'string', answer: 'string' } as const;
const anywhere = { rows: 0, startOf: () => 0 };

// Pages of both versions, dictionaries, codecs and nested columns as the most common writer makes them.
describe.each(['snappy-pages-1', 'zstd-dictionaries', 'gzip-pages-2'])('a file of pyarrow: %s', (name) => {
  const files = fileURLToPath(new URL(`fixtures/${name}.parquet`, import.meta.url));
  const types = {
    question: 'string',
    answer: 'number',
    ratio: 'number?',
    even: 'boolean',
    level: 'string',
    note: 'string?',
    asked: 'string',
    choices: 'json',
    source: 'json',
  } as const;
  const expected = (n: number) => ({
    question: `Wie viel ist ${n} × ${n + 1}? ${'½'.repeat(n % 40)}`,
    answer: n * (n + 1),
    ratio: n % 10 === 0 ? null : n / 8,
    even: n % 2 === 0,
    level: `level ${n % 3}`,
    note: n % 4 === 0 ? `note ${n}` : null,
    asked: new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString(),
    choices: Array.from({ length: n % 4 }, (_, k) => `${n}-${k}`),
    source: { page: n, book: n % 5 === 0 ? 'b' : null },
  });

  it('has its rows in any order', async () => {
    const data = await openDataSet({ files, columns: types, id: 'id', labels: ['level'] }, folder.host);
    expect(data.count).toBe(300);
    for (let step = 0; step < 60; step += 1) {
      const n = (step * 77) % 300;
      const id = `question-${String((n * 7919) % 300).padStart(3, '0')}`;
      expect(data.splits.train?.id(n)).toBe(id);
      expect(await data.row(id)).toEqual(expected(n));
    }
    for (let n = 0; n < 300; n += 1) {
      expect(await data.row(data.splits.train?.id(n) ?? '')).toEqual(expected(n));
    }
    await data.close();
  });
});

describe('a row', () => {
  it('costs a page of each of its columns, not its row group', async () => {
    const rows = questions(20_000).map((row, n) => ({ ...row, answer: `${n} ${'x'.repeat(200)}` }));
    const path = await folder.parquet('rows.parquet', rows, {
      rowGroupSize: 20_000,
      pageSize: 20_000,
      codec: 'UNCOMPRESSED',
    });
    const file = await OpenedFile.open(path);
    const parquet = await parquetRows(file, ['answer'], ['id']);
    let bytes = 0;
    const read = file.read.bind(file);
    file.read = (start, end) => {
      bytes += end - start;
      return read(start, end);
    };
    const costs: number[] = [];
    for (const row of [100, 7777, 7778, 15_000]) {
      bytes = 0;
      const { answer } = await parquet.row(row, anywhere);
      expect(Buffer.from(answer as Uint8Array).toString()).toBe(rows[row]?.answer);
      costs.push(bytes);
    }
    // The first finds the pages by their headers.
    expect(costs[0]).toBeLessThan(file.bytes / 20);
    expect(costs.slice(1)).toEqual([expect.any(Number), 0, expect.any(Number)]);
    for (const cost of costs.slice(1)) expect(cost).toBeLessThan(25_000);
    await file.close();
  });

  it('is read in files of many codecs', async () => {
    const rows = questions(500);
    const codecs = { UNCOMPRESSED: {}, SNAPPY: {}, GZIP: { GZIP: (input: Uint8Array) => gzipSync(input) } };
    for (const [codec, compressors] of Object.entries(codecs)) {
      const path = await folder.parquet(`${codec}.parquet`, rows, { codec: codec as keyof typeof codecs, compressors });
      const data = await openDataSet({ files: path, columns }, folder.host);
      expect((await data.row('train/321')).question).toBe(rows[321]?.question);
      await data.close();
    }
  });
});

describe('a file is refused', () => {
  const refusal = async (files: string, types: Record<string, 'string' | 'json'> = columns) => {
    const opened = openDataSet({ files, columns: types }, folder.host);
    await expect(opened).rejects.toMatchObject({ code: 'AG_DATA', file: files });
    return opened.then(
      () => '',
      (error: unknown) => (error as Error).message,
    );
  };

  it('if it is cut, empty, or another format', async () => {
    const whole = await readFile(await folder.parquet('rows.parquet', questions(100)));
    for (const bytes of [0, 4, 11, 100, whole.length - 1]) {
      const file = await folder.write('cut.parquet', whole.subarray(0, bytes));
      expect(await refusal(file)).toMatch(bytes < 12 ? /does not begin with PAR1/ : /does not end with PAR1/);
    }
    const text = await folder.write('text.parquet', '{"question": "q", "answer": "a"}\n');
    expect(await refusal(text)).toBe(`${text} does not begin with PAR1.`);
    // Its footer is there, and what it describes is not.
    const hollow = await folder.write(
      'hollow.parquet',
      Buffer.concat([Buffer.from('PAR1'), whole.subarray(-whole.readUInt32LE(whole.length - 8) - 8)]),
    );
    expect(await refusal(hollow)).toContain('hollow.parquet cannot be read as Parquet');
    const broken = await folder.write('broken.parquet', whole);
    await writeFile(
      broken,
      Buffer.concat([whole.subarray(0, -8), Buffer.from([255, 255, 255, 127]), whole.subarray(-4)]),
    );
    expect(await refusal(broken)).toContain('cannot be read as Parquet');
    const damaged = Buffer.from(whole);
    damaged.fill(0xff, 20, 1000);
    expect(await refusal(await folder.write('damaged.parquet', damaged))).toContain('cannot be read as Parquet');
  });

  it('if it has no rows, lacks a column, or has another type', async () => {
    const rows = questions(50);
    const file = await folder.parquet('rows.parquet', rows);
    expect(await refusal(file, { question: 'string', solution: 'string' })).toContain('has no column "solution"');
    expect(await refusal(file, { level: 'string' })).toContain(
      `Row 1 of ${file} has a number in the column "level", not a text`,
    );
    const none = await folder.write('none.parquet', '');
    await folder.parquet('none.parquet', [], {
      columnData: [
        { name: 'question', data: [], type: 'STRING' },
        { name: 'answer', data: [], type: 'STRING' },
      ],
    });
    expect(await refusal(none)).toBe(`${none} has no rows.`);
  });

  it('if a text is missing or not valid UTF-8, with its row', async () => {
    const rows = questions(300);
    const missing = rows.map((row, n) => ({ ...row, answer: n === 250 ? undefined : row.answer }));
    const file = await folder.parquet('missing.parquet', missing, { rowGroupSize: 100 });
    expect(await refusal(file)).toBe(`Row 251 of ${file} has no value in the column "answer".`);
    const bytes = rows.map((row, n) => ({
      ...row,
      answer: n === 120 ? Buffer.from([0x61, 0xff]) : Buffer.from(row.answer),
    }));
    const columnData = [
      { name: 'question', data: bytes.map(({ question }) => question), type: 'STRING' as const },
      { name: 'answer', data: bytes.map(({ answer }) => answer), type: 'BYTE_ARRAY' as const },
    ];
    const invalid = await folder.parquet('invalid.parquet', [], { columnData, rowGroupSize: 100 });
    const problem = 'has a text that is not valid UTF-8 in the column "answer", not a';
    expect(await refusal(invalid)).toBe(`Row 121 of ${invalid} ${problem} text.`);
    expect(await refusal(invalid, { answer: 'json' })).toBe(`Row 121 of ${invalid} ${problem} value of JSON.`);
  });
});
