import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, it } from 'vitest';

import { fileError } from './system-error.js';

const folder = mkdtempSync(join(tmpdir(), 'agentgym-system-errors-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const thrown = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
};

it('tells what the operating system refused, with the file', () => {
  writeFileSync(join(folder, 'file'), '');
  const error = fileError(thrown(() => readdirSync(join(folder, 'file'))));
  expect(error).toMatchObject({
    code: 'AG_FILE_FAILED',
    exitCode: 2,
    message: `${join(folder, 'file')} cannot be used (scandir): not a directory (ENOTDIR).`,
    file: join(folder, 'file'),
  });
});

it.each([
  new Error('x'),
  new TypeError('y'),
  'text',
  undefined,
  null,
  Object.assign(new Error('z'), { code: 'ENOENT' }),
])('leaves what is no refusal: %s', (error) => expect(fileError(error)).toBeUndefined());
