import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { findDataFiles } from './find-data-files.js';
import { DataFolder, questions } from './fixtures/data-folder.js';
import { openDataSet } from './open-data-set.js';

let folder: DataFolder;
beforeEach(async () => {
  folder = await DataFolder.make();
});
afterEach(() => folder.remove());

const columns = { question: 'string', answer: 'string' } as const;

/** The parts of a folder with empty files of these names, each with its files in order. */
async function partsOf(names: readonly string[], config?: string): Promise<Record<string, string[]>> {
  for (const name of names) await folder.write(name, '');
  const found = await findDataFiles({ files: folder.path, columns, ...(config !== undefined && { config }) });
  const parts: Record<string, string[]> = {};
  for (const { name, part } of found) (parts[part] ??= []).push(name);
  return parts;
}

const card = (front: string) => folder.write('README.md', `---\n${front}\n---\n\n# A data set\n`);

const gsm8k = `license: mit
configs:
- config_name: main
  data_files:
  - split: train
    path: main/train-*
  - split: test
    path: main/test-*
- config_name: socratic
  data_files:
  - split: train
    path: socratic/train-*
  - split: test
    path: socratic/test-*`;

describe('a folder of the hub', () => {
  it('has the files that README.md says, shards in order, for one configuration', async () => {
    await card(gsm8k);
    const rows = questions(90);
    for (const config of ['main', 'socratic']) {
      const from = config === 'main' ? 0 : 1000;
      await folder.parquet(`${config}/train-00001-of-00002.parquet`, questions(30, from + 30));
      await folder.parquet(`${config}/train-00000-of-00002.parquet`, questions(30, from));
      await folder.parquet(`${config}/test-00000-of-00001.parquet`, questions(30, from + 60));
    }
    const data = await openDataSet({ files: folder.path, config: 'main', columns }, folder.host);
    expect(data.splits.train?.count).toBe(60);
    expect(data.splits.test?.count).toBe(30);
    for (const [place, { question, answer }] of rows.entries()) {
      const id = place < 60 ? `train/${place}` : `test/${place - 60}`;
      expect(await data.row(id)).toEqual({ question, answer });
    }
    await data.close();
    const open = (config?: string) =>
      openDataSet({ files: folder.path, columns, ...(config !== undefined && { config }) }, folder.host);
    const wanted = { code: 'AG_DATA', hint: 'Set `config` to one of: main, socratic.' };
    await expect(open()).rejects.toMatchObject({ ...wanted, message: `${folder.path} has several configurations.` });
    await expect(open('man')).rejects.toMatchObject({
      ...wanted,
      message: `${folder.path} has no configuration "man".`,
    });
  });

  it.each<[string, string, Record<string, string[]>]>([
    ['one pattern', 'data_files: "data/*.jsonl"', { train: ['data/dev.jsonl', 'data/train.jsonl'] }],
    ['patterns by split', 'data_files: {test: [data/dev.jsonl]}', { test: ['data/dev.jsonl'] }],
    [
      'several paths',
      'data_files: [{split: a, path: [data/dev.jsonl, "**/train.*"]}]',
      { a: ['data/dev.jsonl', 'data/train.jsonl'] },
    ],
    ['a folder', 'data_dir: data', { train: ['data/train.jsonl'], validation: ['data/dev.jsonl'] }],
    ['a folder and patterns', 'data_dir: ./data/\n  data_files: "t*"', { train: ['data/train.jsonl'] }],
    ['only its name', 'default: true', { train: ['data/train.jsonl'], validation: ['data/dev.jsonl'] }],
  ])('may say which by %s', async (_, files, parts) => {
    await card(`configs:\n- config_name: one\n  ${files}`);
    expect(await partsOf(['data/train.jsonl', 'data/dev.jsonl', 'x.jsonl'])).toEqual(parts);
    expect(Object.keys(parts)).toEqual(Object.keys(await partsOf([])));
  });

  it('has a default configuration', async () => {
    const other = '\n- {config_name: other, data_files: test.jsonl}';
    for (const first of [
      '{config_name: default, data_files: train.jsonl}',
      '{config_name: a, default: true, data_files: train.jsonl}',
    ]) {
      await card(`configs:\n- ${first}${other}`);
      expect(await partsOf(['train.jsonl', 'test.jsonl'])).toEqual({ train: ['train.jsonl'] });
      expect(await partsOf([], 'other')).toEqual({ train: ['test.jsonl'] });
    }
  });

  it.each([
    ['no YAML', 'configs: [', /README.md does not say which files it has \(/],
    ['other data', 'configs: [{config_name: 1}]', /README.md does not say which files it has \(/],
    ['files that are not there', gsm8k, /has no file for the part "train": README.md says main\/train-\*/],
    ['files elsewhere', 'configs: [{config_name: main, data_files: "../../*/data/*"}]', /has no file for the part/],
  ])('is refused for a README.md with %s', async (_, front, message) => {
    await card(front);
    const found = partsOf(['rows.jsonl'], 'main');
    await expect(found).rejects.toMatchObject({ code: 'AG_DATA', message: expect.stringMatching(message) as string });
  });
});

describe('a folder without configurations', () => {
  it.each<[string, string[], Record<string, string[]>]>([
    [
      'names of files',
      ['test.jsonl', 'train.jsonl', 'notes.txt', 'info.json'],
      { train: ['train.jsonl'], test: ['test.jsonl'] },
    ],
    [
      'words in names',
      ['my_dev-1.ndjson', 'training.v2.parquet', 'EVAL.jsonl', 'extra.jsonl'],
      { train: ['training.v2.parquet'], validation: ['my_dev-1.ndjson'], test: ['EVAL.jsonl'] },
    ],
    [
      'names of folders',
      ['train/1.jsonl', 'train/0.jsonl', 'test/0.jsonl'],
      { train: ['train/0.jsonl', 'train/1.jsonl'], test: ['test/0.jsonl'] },
    ],
    ['the name of a file before its folder', ['test-sets/train.jsonl'], { train: ['test-sets/train.jsonl'] }],
    [
      'one folder for all',
      ['main/train-0.parquet', 'main/test-0.parquet'],
      { train: ['main/train-0.parquet'], test: ['main/test-0.parquet'] },
    ],
    ['no name', ['b.jsonl', 'a.jsonl', 'contest.jsonl'], { train: ['a.jsonl', 'b.jsonl', 'contest.jsonl'] }],
    [
      'files that are not hidden',
      ['.cache/train.jsonl', 'data/.x.jsonl', 'data/test.jsonl'],
      { test: ['data/test.jsonl'] },
    ],
  ])('has parts by %s', async (_, names, parts) => {
    await folder.write('README.md', '# No front matter\n');
    expect(await partsOf(names)).toEqual(parts);
  });

  it('has configurations by folder', async () => {
    const names = ['main/train/0.parquet', 'main/test/0.parquet', 'socratic/train/0.parquet'];
    const main = { train: ['main/train/0.parquet'], test: ['main/test/0.parquet'] };
    expect(await partsOf(names, 'main')).toEqual(main);
    await expect(partsOf([])).rejects.toMatchObject({ hint: 'Set `config` to one of: main, socratic.' });
    await expect(partsOf([], 'other')).rejects.toThrow('has no configuration "other"');
  });

  it('has no configurations without folders', async () => {
    const refused = { message: `${folder.path} has no configuration "main".`, hint: 'Leave `config` out.' };
    await expect(partsOf(['train.jsonl'], 'main')).rejects.toMatchObject(refused);
  });

  it('follows links to files, as the cache of the hub has them', async () => {
    const blob = await folder.lines('../blobs/0123', questions(3));
    await mkdir(folder.path, { recursive: true });
    await symlink(blob, join(folder.path, 'train.jsonl'));
    const data = await openDataSet({ files: folder.path, columns }, folder.host);
    expect(data.count).toBe(3);
    await data.close();
  });

  it.each([
    [['notes.txt'], 'Files of rows end with .parquet, .jsonl or .ndjson.'],
    [['train.jsonl.gz'], 'Files of rows end with .parquet, .jsonl or .ndjson. Unpack or convert train.jsonl.gz.'],
    [['main/rows.csv'], 'Files of rows end with .parquet, .jsonl or .ndjson. Unpack or convert main/rows.csv.'],
  ])('is refused with %j', async (names, hint) => {
    await expect(partsOf(names)).rejects.toMatchObject({
      code: 'AG_DATA',
      message: `${folder.path} has no file of rows.`,
      hint,
    });
  });
});
