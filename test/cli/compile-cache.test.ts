// Node.js 22 and later keep compiled modules, in the user's own cache folder.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { runCli } from './run-cli.js';

it('is kept in the cache folder where Node.js can keep it', async () => {
  const cache = mkdtempSync(join(tmpdir(), 'agentgym-compiled-'));
  const { code, stdout } = await runCli(['--version'], { environment: { AGENTGYM_CACHE_DIR: cache } });
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('@agentgym/cli/') as string });
  expect(existsSync(join(cache, 'compiled'))).toBe('enableCompileCache' in module);
});

it('is left out where the folder cannot be written', async () => {
  const cache = mkdtempSync(join(tmpdir(), 'agentgym-compiled-'));
  writeFileSync(join(cache, 'compiled'), 'no folder');
  const locked = join(cache, 'locked');
  mkdirSync(locked);
  chmodSync(locked, 0o500);
  for (const AGENTGYM_CACHE_DIR of [cache, locked]) {
    const result = await runCli(['--version'], { environment: { AGENTGYM_CACHE_DIR } });
    expect(result).toMatchObject({ code: 0, stderr: '' });
  }
});

// An empty variable counts as unset, as for the other folders: else the folder would be made where the command runs.
it('is never made in the present folder', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'agentgym-compiled-'));
  const home = mkdtempSync(join(tmpdir(), 'agentgym-compiled-'));
  const environment = { AGENTGYM_CACHE_DIR: '', XDG_CACHE_HOME: '', HOME: home };
  expect(await runCli(['--version'], { cwd, environment })).toMatchObject({ code: 0 });
  expect(readdirSync(cwd)).toEqual([]);
});
