import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { readJsonLines } from './read-json-lines.js';

function newLog(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'agentgym-lines-')), 'log.jsonl');
  writeFileSync(path, text);
  return path;
}

async function read(path: string, bytes?: number) {
  const lines = [];
  for await (const line of readJsonLines(path, bytes)) lines.push(line);
  return lines;
}

// Goes red when lines are split at Unicode's separators, as node:readline does.
it('reads whole lines, and says where each ends', async () => {
  const first = JSON.stringify({ text: 'a\u2028b\u0085é' });
  const path = newLog(`${first}\n[1]\n{"half`);
  const end = Buffer.byteLength(first) + 1;
  expect(await read(path)).toEqual([
    { document: { text: 'a\u2028b\u0085é' }, number: 1, end },
    { document: [1], number: 2, end: end + 4 },
  ]);
  expect(await read(path, end)).toHaveLength(1);
  expect(await read(path, 0)).toEqual([]);
});

it('reads lines that are longer than what is read at once', async () => {
  const texts = ['é'.repeat(900_000), 'b', 'ü'.repeat(1_500_000)];
  const lines = await read(newLog(texts.map((text) => `${JSON.stringify(text)}\n`).join('')));
  expect(lines.map(({ document }) => document === undefined)).toEqual([false, false, false]);
  expect(lines.map(({ document }) => texts.indexOf(document as string))).toEqual([0, 1, 2]);
});

it('names a line that is no JSON', async () => {
  const path = newLog('{}\nno\n{}\n');
  await expect(read(path)).rejects.toMatchObject({ code: 'AG_RUN_DAMAGED', file: path, line: 2 });
});
