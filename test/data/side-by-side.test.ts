// Threads and processes that use one data set at the same time, from the first index on.
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { useRows, writeRows } from './use-rows.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentgym-side-by-side-'));
});
afterEach(() => rm(folder, { recursive: true }));

it.each(['jsonl', 'parquet'])('processes build the index at the same time, and read rows: %s', async (format) => {
  const file = join(folder, `rows.${format}`);
  await writeRows(file, 20_000);
  const cache = join(folder, 'cache');
  const uses = await Promise.all(Array.from({ length: 3 }, () => useRows(file, cache, 100)));
  uses.push(await useRows(file, cache, 100));
  for (const { rows, splitCounts, files } of uses) {
    expect({ rows, splitCounts, files }).toEqual({
      rows: 20_000,
      splitCounts: uses[0]?.splitCounts,
      files: uses[0]?.files,
    });
  }
  const left = readdirSync(join(cache, 'data-sets'));
  expect(left.map((name) => name.replace(/^[0-9a-f]{32}/, '')).sort()).toEqual(['.index', '.json']);
});

const thread = `
  import { parentPort, workerData } from 'node:worker_threads';
  import { openDataSet } from '${new URL('../../dist/data/open-data-set.js', import.meta.url).href}';
  const { files, cacheDirectory } = workerData;
  const host = { cacheDirectory, log: { info() {}, warn() {} }, signal: new AbortController().signal };
  const data = await openDataSet({ files, columns: { question: 'string' }, id: 'id' }, host);
  const ids = Array.from({ length: 50 }, (_, place) => data.splits.train.id(397 * place));
  const rows = await Promise.all(ids.map((id) => data.row(id)));
  await data.close();
  parentPort.postMessage({ count: data.count, questions: rows.map(({ question }) => question) });
`;

it.each(['jsonl', 'parquet'])('threads do the same: %s', async (format) => {
  const files = join(folder, `rows.${format}`);
  await writeRows(files, 20_000);
  const url = new URL(`data:text/javascript,${encodeURIComponent(thread)}`);
  const workers = Array.from({ length: 3 }, () => new Worker(url, { workerData: { files, cacheDirectory: folder } }));
  const told = (await Promise.all(workers.map(async (worker) => (await once(worker, 'message')) as unknown[]))).flat();
  expect(told).toHaveLength(3);
  for (const one of told) expect(one).toEqual(told[0]);
  const { count, questions } = told[0] as { count: number; questions: string[] };
  expect(count).toBe(20_000);
  expect(questions.map((question) => Number.parseInt(question, 10))).toEqual(questions.map((_, place) => 397 * place));
  await Promise.all(workers.map((worker) => worker.terminate()));
});
