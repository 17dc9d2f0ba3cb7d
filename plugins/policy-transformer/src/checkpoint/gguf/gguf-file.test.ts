import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { readGguf } from './fixtures/read-gguf.js';
import { writeGguf } from './gguf-file.js';

const path = join(mkdtempSync(join(tmpdir(), 'agentgym-gguf-')), 'file.gguf');

// Published models have 150,000 tokens and more, too many for the arguments of a call.
it('has lists as long as those of published models', async () => {
  const value = Array.from({ length: 300_000 }, (_, id) => `token ${id}`);
  await writeGguf(path, new Map([['tokens', { type: 'strings', value }]]), new Map());
  expect((readGguf(path).fields.get('tokens') as string[]).join()).toBe(value.join());
});

it('refuses a tensor whose numbers do not fill it, or are too large for float16', async () => {
  const tensor = (numbers: number[]) =>
    ({ shape: [2, 2], type: 'F16', pieces: () => [new Float32Array(numbers)] }) as const;
  const write = (numbers: number[]) => writeGguf(path, new Map(), new Map([['some.weight', tensor(numbers)]]));
  await expect(write([1, 2, 3])).rejects.toThrow('some.weight has 6 bytes instead of 8');
  await expect(write([1, 2, 3, 1e6])).rejects.toThrow('too large for float16');
});
