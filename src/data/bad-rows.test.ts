import { truncate } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { DataColumns, DataSetOptions } from '../contracts/data-set.js';
import type { AgentgymError } from '../errors/agentgym-error.js';
import { DataFolder, questions } from './fixtures/data-folder.js';
import { openDataSet } from './open-data-set.js';

const columns = { question: 'string', answer: 'string' } as const;

let folder: DataFolder;
beforeEach(async () => {
  folder = await DataFolder.make();
});
afterEach(() => folder.remove());

/** The error of opening a data set, which must be one that tells a user what to do. */
async function refusal(options: Partial<DataSetOptions> & Pick<DataSetOptions, 'files'>): Promise<AgentgymError> {
  const error = await openDataSet({ columns, ...options }, folder.host).then(
    () => new Error('it was opened'),
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ name: 'AgentgymError', code: 'AG_DATA', exitCode: 2 });
  expect((error as AgentgymError).hint).toMatch(/^.{10,}\.$/);
  return error as AgentgymError;
}

const good = '{"question": "q", "answer": "a"}';

describe('lines of JSON', () => {
  it.each([
    ['CRLF', `${good}\r\n${good}\r\n`],
    ['no last line end', `${good}\n${good}`],
    ['a byte-order mark', `\uFEFF${good}\n${good}\n`],
    ['empty lines at the end', `${good}\n${good}\n\n \r\n`],
    ['further columns, and spaces', ` ${good.replace('{', '{"more": {"a": [1]}, "__proto__": {"id": 1}, ')} \n${good}`],
  ])('may have %s', async (_, text) => {
    const data = await openDataSet({ files: await folder.write('rows.jsonl', text), columns }, folder.host);
    expect(data.count).toBe(2);
    for (const place of [0, 1]) expect(await data.row(`train/${place}`)).toEqual({ question: 'q', answer: 'a' });
    await data.close();
  });

  it.each<[string, string | Buffer, number | undefined, string]>([
    ['an empty file', '', undefined, 'has no rows'],
    ['a file of empty lines', '\n\n', undefined, 'has no rows'],
    ['a file that was cut in its last line', `${good}\n${good.slice(0, -9)}`, 2, 'is not JSON'],
    ['a line that is no JSON', `${good}\nno\n${good}\n`, 2, 'is not JSON'],
    ['a list', `${good}\n[${good}]\n`, 2, 'is a list, not a JSON object'],
    ['null', `null\n`, 1, 'is a single value, not a JSON object'],
    ['an empty line', `${good}\n\n${good}\n`, 2, 'is an empty line'],
    ['Latin-1', Buffer.from(`${good}\n${good.replace('q"', 'é"')}\n${good}`, 'latin1'), 2, 'is not valid UTF-8'],
    [
      'half a character',
      Buffer.concat([Buffer.from(`${good}\n"`), Buffer.from([0xe2, 0x82])]),
      2,
      'is not valid UTF-8',
    ],
    ['a missing column', `${good}\n{"question": "q"}\n`, 2, 'has no column "answer"'],
    ['null', `${good}\n{"question": "q", "answer": null}\n`, 2, 'has no value in the column "answer"'],
    [
      'another type',
      `${good}\n${good}\n{"question": "q", "answer": 4}\n`,
      3,
      'has a number in the column "answer", not a text',
    ],
    ['a list in a column', '{"question": ["q"], "answer": "a"}', 1, 'has a list in the column "question", not a text'],
  ])('are refused for %s', async (_, text, line, problem) => {
    const file = await folder.write('rows.jsonl', text);
    const error = await refusal({ files: file });
    expect(error.message).toContain(line === undefined ? `${file} ${problem}` : `Row ${line} of ${file} ${problem}`);
    expect(error).toMatchObject(line === undefined ? { file } : { file, line });
  });

  it('are told about truncation if the last line has no end', async () => {
    const cut = await folder.write('rows.jsonl', `${good}\n${good.slice(0, -9)}`);
    expect((await refusal({ files: cut })).hint).toContain('as truncated files do');
    const wrong = await folder.write('rows.jsonl', `${good}\n${good.slice(0, -9)}\n`);
    expect((await refusal({ files: wrong })).hint).not.toContain('truncated');
  });

  it('may cross the pieces in which a file is read, but not be endless', async () => {
    const long = { question: 'é'.repeat(3 * 2 ** 20), answer: 'a' };
    const rows = [{ question: 'q', answer: 'a' }, long, ...questions(3)];
    const data = await openDataSet({ files: await folder.lines('rows.jsonl', rows), columns }, folder.host);
    expect(await data.row('train/1')).toEqual(long);
    expect((await data.row('train/4')).answer).toContain('#### 4');
    await data.close();
    const endless = await folder.write('endless.jsonl', `${good}\n`);
    await truncate(endless, 2 ** 26 + 2 ** 23);
    expect((await refusal({ files: endless })).message).toContain(`Row 2 of ${endless} has more than ${2 ** 26} bytes`);
  });
});

describe('ids', () => {
  const rows = questions(3000);

  it.each(['lines', 'parquet'] as const)('are refused if two rows have the same: %s', async (write) => {
    const name = (split: string) => `${split}.${write === 'lines' ? 'jsonl' : 'parquet'}`;
    const train = await folder[write](name('train'), rows.slice(0, 2000));
    const test = await folder[write](name('test'), [...rows.slice(2000), rows[1234]!]);
    const { message } = await refusal({ files: folder.path, id: 'id' });
    expect(message).toBe(`Row 1235 of ${train} and row 1001 of ${test} have the same id, "q-1234".`);
  });

  it.each([
    ['', 'an empty text'],
    [null, 'no value'],
    [1.5, 'a number'],
    [['a'], 'a list'],
  ])('are refused if one is %j', async (id, kind) => {
    const file = await folder.lines('rows.jsonl', [rows[0]!, { ...rows[1], id }]);
    const { message } = await refusal({ files: file, id: 'id' });
    expect(message).toBe(`Row 2 of ${file} has ${kind} in the column "id", which gives its id.`);
  });

  it('may be whole numbers of any length in Parquet', async () => {
    const ids = [5n, 2n ** 60n, -1n];
    const file = await folder.parquet(
      'rows.parquet',
      ids.map((id) => ({ id, text: `text of ${id}` })),
    );
    const data = await openDataSet({ files: file, columns: { text: 'string' }, id: 'id' }, folder.host);
    expect(await data.row(String(2n ** 60n))).toEqual({ text: 'text of 1152921504606846976' });
    expect(data.splits.train?.id(0)).toBe('5');
    await data.close();
    const { message } = await refusal({ files: file, columns: { id: 'number' } });
    expect(message).toContain('has a whole number of more than 53 bits in the column "id", not a number');
  });
});

describe('splits', () => {
  const rows = questions(100).map((row, place) => ({ ...row, split: place < 50 ? 'train' : 'dev' }));
  const whole = 'The splits train and validation both take the whole part "train".';
  const more = 'The split test takes 0.2 of the part "train", of which 0.09999999999999998 is left.';

  it.each<[DataSetOptions['splits'], string]>([
    [{ train: 'training' }, 'The split train takes the part "training", which has no rows.'],
    [{ train: 'train', validation: 'train' }, whole],
    [{ validation: { of: 'train', share: 0.9 }, test: { of: 'train', share: 0.2 } }, more],
    [{ test: { of: 'train', share: 0 } }, 'The split test takes 0 of the part "train", of which 1 is left.'],
    [{}, 'No row is in a split.'],
  ])('are refused: %j', async (splits, message) => {
    const files = await folder.lines('rows.jsonl', rows);
    const error = await refusal({ files, part: 'split', ...(splits && { splits }) });
    expect(error.message).toBe(message);
    if (message.includes('has no rows')) expect(error.hint).toContain('The parts of this data set are train, dev.');
  });

  it('are refused where no row has a part, or two files are the same', async () => {
    const files = await folder.lines('rows.jsonl', rows);
    expect((await refusal({ files, part: 'part' })).message).toContain('has no value in the column "part"');
    const copy = await folder.lines('copy.jsonl', rows);
    const { message } = await refusal({ files: { train: files, test: copy } });
    expect(message).toBe(`${copy} has the same content as ${files}.`);
  });

  it('take all rows where shares add up to 1', async () => {
    const files = await folder.lines('rows.jsonl', rows);
    const share = (part: number) => ({ of: 'train', share: part });
    const splits = { train: share(0.7), validation: share(0.2), test: share(0.1) };
    const data = await openDataSet({ files, columns, splits }, folder.host);
    const { train, validation, test } = data.splits;
    expect((train?.count ?? 0) + (validation?.count ?? 0) + (test?.count ?? 0)).toBe(100);
    await data.close();
  });
});

describe('files', () => {
  it.each<[Partial<DataSetOptions>, string]>([
    [{ files: 'nowhere.jsonl' }, 'nowhere.jsonl does not exist.'],
    [{ files: { train: [] } }, 'The data set has no files.'],
    [{ files: 'rows.csv' }, 'rows.csv is no file of rows by its name.'],
    [{ files: ['rows.jsonl'], config: 'main' }, 'The configuration "main" is given for files'],
  ])('are refused: %j', async (options, problem) => {
    expect((await refusal({ files: '', ...options })).message).toContain(problem);
  });

  it('may be a value of any declared type', async () => {
    const types: DataColumns = { t: 'string?', n: 'number', b: 'boolean?', j: 'json', k: 'json?' };
    const rows = [
      { t: 'text', n: 1.5, b: false, j: [{ a: null }], k: 0 },
      { t: null, n: -1, j: 'x', k: null },
    ];
    const data = await openDataSet({ files: await folder.lines('rows.jsonl', rows), columns: types }, folder.host);
    expect(await data.row('train/0')).toEqual(rows[0]);
    expect(await data.row('train/1')).toEqual({ ...rows[1], b: null });
    await data.close();
    const error = await refusal({ files: join(folder.path, 'rows.jsonl'), columns: { j: 'json', b: 'boolean' } });
    expect(error.message).toContain('Row 2 of');
    expect(error.message).toContain('has no column "b"');
  });
});
