import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { useRows, writeRows } from './use-rows.js';

const count = 2_000_000;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentgym-millions-'));
});
afterAll(() => rm(folder, { recursive: true }));

// A start of two million rows takes no more than one of one row, nearly: 100 MB are the goal. Times are measured by
// `npm run bench -- data`.
it.each(['jsonl', 'parquet'])(
  'two million rows are read once, and then only where they are asked for: %s',
  { timeout: 900_000 },
  async (format) => {
    const cache = join(folder, 'cache');
    const [one, many] = [join(folder, `one.${format}`), join(folder, `many.${format}`)];
    await writeRows(one, 1);
    await writeRows(many, count);
    // The hash of a file that was written just before is not believed later.
    await sleep(2500);
    const { size } = await stat(many);
    const build = await useRows(many, cache, 100);
    expect(build).toMatchObject({ rows: count, files: [{ name: `many.${format}`, bytes: size }] });
    const { train = 0, validation = 0 } = build.splitCounts;
    expect(train + validation).toBe(count);
    expect(Math.abs(validation - count / 100)).toBeLessThan(1000);
    if (build.read !== undefined) expect(build.read).toBeGreaterThan(size);

    await useRows(one, cache, 0);
    const base = await useRows(one, cache, 1);
    const start = await useRows(many, cache, 200);
    expect(start).toMatchObject({ rows: count, splitCounts: build.splitCounts, files: build.files });
    expect(start.memory - base.memory).toBeLessThan(100e6);
    // Blocks of the file, its footer, and the header of the index.
    if (start.read !== undefined && base.read !== undefined) expect(start.read - base.read).toBeLessThan(2e6);
  },
);
