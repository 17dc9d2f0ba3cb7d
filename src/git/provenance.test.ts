import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { gitProvenance } from './provenance.js';

function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'agentgym-git-'));
}

function repository(): { folder: string; git: (...args: string[]) => string } {
  const folder = temporaryFolder();
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args], { cwd: folder, encoding: 'utf8' });
  git('init', '--quiet', '--initial-branch', 'trunk');
  return { folder, git };
}

it('records commit and branch of a clean repository, and a hash once something differs', async () => {
  const { folder, git } = repository();
  writeFileSync(join(folder, 'a.txt'), 'one\n');
  git('add', '.');
  git('commit', '--quiet', '-m', 'one');
  const commit = git('rev-parse', 'HEAD').trim();
  expect(await gitProvenance(folder)).toEqual({ commit, branch: 'trunk', dirty: false, diffHash: null });

  writeFileSync(join(folder, 'a.txt'), 'two\n');
  const changed = await gitProvenance(folder);
  expect(changed).toMatchObject({ commit, dirty: true, diffHash: expect.stringMatching(/^[0-9a-f]{64}$/) });

  writeFileSync(join(folder, 'a.txt'), 'three\n');
  expect((await gitProvenance(folder))?.diffHash).not.toBe(changed?.diffHash);

  git('checkout', '--quiet', '--', 'a.txt');
  writeFileSync(join(folder, 'new.txt'), '');
  expect(await gitProvenance(folder)).toMatchObject({ dirty: true });
});

it('knows a repository without a commit', async () => {
  const { folder } = repository();
  expect(await gitProvenance(folder)).toMatchObject({ commit: null, branch: 'trunk', dirty: false });
});

it('is null outside a repository, in a folder that does not exist, and without git', async () => {
  expect(await gitProvenance(temporaryFolder())).toBeNull();
  expect(await gitProvenance(join(temporaryFolder(), 'missing'))).toBeNull();
  const { folder } = repository();
  const path = process.env['PATH'];
  process.env['PATH'] = temporaryFolder();
  try {
    expect(await gitProvenance(folder)).toBeNull();
  } finally {
    process.env['PATH'] = path;
  }
});
