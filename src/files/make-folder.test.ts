import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, it } from 'vitest';

import { makeFolder } from './make-folder.js';

const home = mkdtempSync(join(tmpdir(), 'agentgym-folders-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

it('makes what is missing, and says what was made first', async () => {
  expect(await makeFolder(join(home, 'a/b/c'))).toBe(join(home, 'a'));
  expect(existsSync(join(home, 'a/b/c'))).toBe(true);
  expect(await makeFolder(join(home, 'a/b'))).toBeUndefined();
  await Promise.all(Array.from({ length: 5 }, () => makeFolder(join(home, 'd/e'))));
});

it('says what is in the way', async () => {
  writeFileSync(join(home, 'file'), '');
  await expect(makeFolder(join(home, 'file/a/b'))).rejects.toMatchObject({
    code: 'ENOTDIR',
    path: join(home, 'file/a'),
  });
});

// Goes red with Node's `recursive` option, which never ends.
it.runIf(existsSync('/proc/self'))('ends where a file system refuses every folder', async () => {
  await expect(makeFolder('/proc/agentgym/a/b')).rejects.toMatchObject({ syscall: 'mkdir', path: '/proc/agentgym' });
});
