import { appendFile, readdir, readFile, rename, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { DataSetOptions } from '../contracts/data-set.js';
import type { TaskSource } from '../contracts/environment.js';
import { createRandom } from '../random/create-random.js';
import { DataFolder, questions } from './fixtures/data-folder.js';
import { hashId } from './hash-id.js';
import { openDataSet } from './open-data-set.js';

const columns = { question: 'string', answer: 'string' } as const;
const shown = ({ question, answer }: { question: string; answer: string }) => ({ question, answer });

let folder: DataFolder;
beforeEach(async () => {
  folder = await DataFolder.make();
});
afterEach(async () => {
  vi.useRealTimers();
  await folder.remove();
});

const open = <Options extends Omit<DataSetOptions, 'columns'>>(options: Options) =>
  openDataSet({ columns, ...options }, folder.host);

/** All ids of a split. */
const idsOf = (split: TaskSource | undefined) =>
  Array.from({ length: split?.count as number }, (_, place) => split?.id(place) as string);

/** Files as if they were written long ago: their hashes are then trusted. */
function passTime(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
}

const indexes = async () => (await readdir(folder.cache)).filter((name) => name.endsWith('.index'));

const formats = {
  jsonl: (name: string, rows: ReturnType<typeof questions>) => folder.lines(`${name}.jsonl`, rows),
  parquet: (name: string, rows: ReturnType<typeof questions>) =>
    folder.parquet(`${name}.parquet`, rows, { rowGroupSize: 300, pageSize: 2000 }),
};

describe.each(Object.entries(formats))('rows of %s', (_, write) => {
  it('are found by their place and by their id', async () => {
    const rows = questions(1000);
    await write('train', rows.slice(0, 900));
    await write('test', rows.slice(900));
    const data = await open({ files: folder.path, id: 'id', cluster: 'level', labels: ['level', 'answer'] });
    expect(data.count).toBe(1000);
    expect(idsOf(data.splits.train)).toEqual(rows.slice(0, 900).map(({ id }) => id));
    expect(idsOf(data.splits.test)).toEqual(rows.slice(900).map(({ id }) => id));
    expect(data.splits.validation).toBeUndefined();
    for (const [place, row] of rows.entries()) {
      expect(await data.row(row.id)).toEqual(shown(row));
      expect(data.splitOf(row.id)).toBe(place < 900 ? 'train' : 'test');
    }
    const { id, level, answer } = rows[700]!;
    expect(await data.about(id)).toEqual({ cluster: String(level), labels: { level, answer } });
    await expect(data.row('q-1000')).rejects.toMatchObject({ code: 'AG_DATA', message: 'No row has the id "q-1000".' });
    expect(() => data.splitOf('')).toThrow('No row has the id "".');
    await data.close();
    await data.close();
  });

  it('are named by part and place without a column of ids', async () => {
    const rows = questions(120);
    const train = [await write('b', rows.slice(0, 50)), await write('a', rows.slice(50, 100))];
    const data = await open({ files: { train, test: await write('c', rows.slice(100)) } });
    expect(idsOf(data.splits.train)).toEqual(Array.from({ length: 100 }, (__, place) => `train/${place}`));
    expect(await data.row('train/49')).toEqual(shown(rows[49]!));
    expect(await data.row('train/50')).toEqual(shown(rows[50]!));
    expect(await data.row('test/19')).toEqual(shown(rows[119]!));
    expect(await data.about('test/19')).toEqual({});
    for (const id of ['train/100', 'train/007', 'train/-1', 'train/1.5', 'train/ 1', 'train/', 'dev/1', '1', '', '/']) {
      expect(() => data.splitOf(id)).toThrow(`No row has the id "${id}".`);
    }
    await data.close();
  });

  it('are divided by a column, and by shares of a part', async () => {
    const rows = questions(2000).map((row, place) => ({ ...row, split: place % 4 === 0 ? 'held-out' : 'all' }));
    const files = await write('rows', rows);
    const splits = { train: 'all', validation: { of: 'all', share: 0.1 }, test: 'held-out' } as const;
    const data = await open({ files, id: 'id', part: 'split', splits });
    const expected = (row: (typeof rows)[number]) =>
      row.split === 'held-out' ? 'test' : hashId(row.id, '').draw < 0.1 ? 'validation' : 'train';
    for (const row of rows) expect(data.splitOf(row.id)).toBe(expected(row));
    for (const split of ['train', 'validation', 'test'] as const) {
      expect(idsOf(data.splits[split])).toEqual(rows.filter((row) => expected(row) === split).map(({ id }) => id));
    }
    expect(Math.abs((data.splits.validation?.count ?? 0) - 150)).toBeLessThan(40);
    const random = createRandom(1);
    const drawn = Array.from({ length: 200 }, () => data.splits.validation?.random(random) as string);
    expect(new Set(drawn.map((id) => data.splitOf(id)))).toEqual(new Set(['validation']));
    expect(new Set(drawn).size).toBeGreaterThan(90);
    // Another key draws others, and places are ids of their own.
    const other = await open({ files, part: 'split', splits, key: 'b' });
    expect(other.splitOf('1')).toBe(hashId('1', 'b').draw < 0.1 ? 'validation' : 'train');
    expect(await other.row('1999')).toEqual(shown(rows[1999]!));
    expect(other.splits.validation?.id(0)).toMatch(/^\d+$/);
    await Promise.all([data.close(), other.close()]);
  });
});

describe('an index', () => {
  it('is built once, and found by the content', async () => {
    const rows = questions(500);
    const file = await folder.lines('a/rows.jsonl', rows);
    await (await open({ files: file })).close();
    const [index] = await indexes();
    await folder.lines('b/other-name.jsonl', rows);
    await (await open({ files: join(folder.path, 'b/other-name.jsonl') })).close();
    expect(await indexes()).toEqual([index]);
    await (await open({ files: file, id: 'id' })).close();
    expect(await indexes()).toHaveLength(2);
  });

  it('is used without reading the file again, unless the file looks different', async () => {
    const rows = questions(5000);
    const file = await folder.lines('rows.jsonl', rows);
    passTime();
    const first = await open({ files: file });
    const [{ sha256 }] = first.files as unknown as [{ sha256: string }];
    await first.close();
    // A hash that only the record has shows whether the record was believed.
    const believed = async (change: (record: { seen: object; sha256: string }) => void) => {
      const name = (await readdir(folder.cache)).find((each) => each.endsWith('.json')) as string;
      const record = JSON.parse(await readFile(join(folder.cache, name), 'utf8')) as Parameters<typeof change>[0];
      change(record);
      await writeFile(join(folder.cache, name), JSON.stringify(record));
      const data = await open({ files: file });
      await data.close();
      return data.files[0]?.sha256 === record.sha256;
    };
    const lie = 'f'.repeat(64);
    expect(await believed((record) => (record.sha256 = lie))).toBe(true);
    for (const part of ['bytes', 'modified', 'changed', 'inode', 'sample']) {
      const change = (record: { seen: object; sha256: string }) =>
        Object.assign(record, { seen: { ...record.seen, [part]: '1' }, sha256: lie });
      expect(await believed(change), part).toBe(false);
    }
    // A file that had just been written when it was read.
    vi.useRealTimers();
    expect(await believed((record) => Object.assign(record, { readAt: Date.now(), sha256: lie }))).toBe(false);
    const last = await open({ files: file });
    await last.close();
    expect(last.files[0]?.sha256).toBe(sha256);
  });

  it('is built anew where it is damaged', async () => {
    const file = await folder.lines('rows.jsonl', questions(50));
    await (await open({ files: file })).close();
    const path = join(folder.cache, (await indexes())[0] as string);
    const whole = await readFile(path);
    for (const damaged of [whole.subarray(0, -1), whole.subarray(0, 30), Buffer.alloc(0), Buffer.alloc(100)]) {
      await writeFile(path, damaged);
      const data = await open({ files: file });
      expect(await data.row('train/49')).toMatchObject({ question: 'Was ist 49 × 2? 🎲' });
      await data.close();
    }
    expect(await readFile(path)).toEqual(whole);
  });

  it('is not written if the work is aborted', async () => {
    const file = await folder.lines('rows.jsonl', questions(50));
    const host = { ...folder.host, signal: AbortSignal.abort(new Error('stopped')) };
    await expect(openDataSet({ files: file, columns }, host)).rejects.toThrow('stopped');
    expect(await readdir(folder.cache)).toEqual([]);
  });

  it('finds ids whose hashes are equal', async () => {
    const seen = new Map<number, string>();
    const equal: string[] = [];
    for (let n = 0; equal.length === 0; n += 1) {
      const { word } = hashId(`id ${n}`, '');
      const other = seen.get(word);
      if (other !== undefined) equal.push(other, `id ${n}`);
      seen.set(word, `id ${n}`);
    }
    const rows = [...equal, ...Array.from({ length: 300 }, (_, n) => `further ${n}`)].map((id) => ({ id, text: id }));
    const file = await folder.lines('rows.jsonl', rows);
    const data = await openDataSet({ files: file, columns: { text: 'string' }, id: 'id' }, folder.host);
    for (const { id } of rows) expect(await data.row(id)).toEqual({ text: id });
    await data.close();
  });
});

describe('a file that changed', () => {
  it('has another hash, and is refused where the earlier one is expected', async () => {
    const train = await folder.lines('train.jsonl', questions(50));
    const test = await folder.lines('test.jsonl', questions(20, 100));
    passTime();
    const before = await open({ files: folder.path });
    await before.close();
    const { files: expected } = before;
    expect(expected.map(({ name, part }) => [name, part])).toEqual([
      ['train.jsonl', 'train'],
      ['test.jsonl', 'test'],
    ]);
    await (await open({ files: folder.path, expected })).close();

    // The same length, and the same time of the last change.
    const text = await readFile(train, 'utf8');
    await writeFile(train, text.replace('#### 24', '#### 42'));
    await utimes(train, new Date(1e9), new Date(1e9));
    const refused = open({ files: folder.path, expected });
    await expect(refused).rejects.toMatchObject({ code: 'AG_DATA_CHANGED', file: train });
    await expect(refused).rejects.toThrow(`was ${expected[0]?.sha256}`);
    const fresh = await open({ files: folder.path });
    expect((await fresh.row('train/12')).answer).toContain('#### 42');
    await fresh.close();

    await writeFile(train, text);
    await (await open({ files: folder.path, expected })).close();
    await folder.lines('train-2.jsonl', questions(5, 200));
    await expect(open({ files: folder.path, expected })).rejects.toThrow(
      'train-2.jsonl was not a file of the part "train" before',
    );
    await expect(open({ files: { train }, expected })).rejects.toThrow('test.jsonl of the part "test" is missing');
    const swapped = { test, train };
    await expect(open({ files: swapped, expected })).rejects.toThrow('test.jsonl had another place among the files');
  });

  it.each(Object.entries(formats))('is refused while it is open: %s', async (_, write) => {
    const file = await write('rows', questions(500));
    const data = await open({ files: file });
    await data.row('train/0');
    await appendFile(file, ' ');
    await expect(data.row('train/400')).rejects.toMatchObject({ code: 'AG_DATA_CHANGED', file });
    await truncate(file, 10);
    await expect(data.row('train/300')).rejects.toMatchObject({ code: 'AG_DATA_CHANGED', file });
    await data.close();
  });

  it('is refused where only its time tells', async () => {
    const file = await folder.lines('rows.jsonl', questions(500));
    const data = await open({ files: file });
    await writeFile(file, (await readFile(file, 'utf8')).replace('#### 800', '#### 801'));
    await utimes(file, new Date(1e9), new Date(1e9));
    await expect(data.row('train/400')).rejects.toMatchObject({ code: 'AG_DATA_CHANGED', file });
    await data.close();
  });

  it('stays readable while it is open if another file takes its place', async () => {
    const file = await folder.lines('rows.jsonl', questions(500));
    const data = await open({ files: file });
    await rename(await folder.lines('new.jsonl', questions(500, 1000)), file);
    expect((await data.row('train/400')).answer).toContain('#### 800');
    await data.close();
  });
});
