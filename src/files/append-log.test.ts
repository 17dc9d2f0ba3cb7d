import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { AppendLog } from './append-log.js';

const newPath = () => join(mkdtempSync(join(tmpdir(), 'agentgym-log-')), 'inner/log.jsonl');

it('goes on where it is told to, and knows its length in bytes', async () => {
  const path = newPath();
  const first = new AppendLog(path, 0);
  first.appendLine({ text: 'größer' });
  const { bytes } = first;
  first.appendLine({ lost: true });
  first.close();
  const second = new AppendLog(path, bytes);
  second.appendLine({ more: 1 });
  await second.sync();
  second.close();
  expect(readFileSync(path, 'utf8')).toBe('{"text":"größer"}\n{"more":1}\n');
  expect(second.bytes).toBe(readFileSync(path).length);
});

it('refuses a file that lost bytes', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'agentgym-log-')), 'log.jsonl');
  writeFileSync(path, 'abc');
  expect(() => new AppendLog(path, 4)).toThrow(expect.objectContaining({ code: 'AG_RUN_DAMAGED', file: path }));
});

it.runIf(process.platform === 'linux')('names the file that could not grow, and why', () => {
  const log = new AppendLog('/dev/full', 0);
  expect(() => log.appendLine({})).toThrow(
    expect.objectContaining({
      code: 'AG_RUN_WRITE_FAILED',
      message: expect.stringMatching(/\/dev\/full: no space left/),
    }),
  );
  log.close();
});
