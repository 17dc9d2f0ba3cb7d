import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { checkPackage } from './check-package.js';

function packageWith(changes: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-package-'));
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'dist', 'index.js'), 'throw new Error("ran")');
  const good = {
    name: 'fixture',
    version: '1.0.0',
    oclif: {},
    agentgym: { apiVersion: 1, plugin: './dist/index.js' },
    peerDependencies: { '@agentgym/cli': '>=0.1.0 <2' },
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...good, ...changes }));
  return folder;
}

it('reads a good package, also for a host before its release', async () => {
  expect(await checkPackage(packageWith({}), '0.1.0')).toMatchObject({ name: 'fixture' });
  expect(await checkPackage(packageWith({}), '1.0.0-next.3')).toMatchObject({ name: 'fixture' });
});

// Each goes red when its line in inspect-package.ts is left out.
it.each([
  ['no field', { agentgym: undefined }, 'no `agentgym` field'],
  ['a field that is no declaration', { agentgym: { recipe: 'x' } }, 'no `agentgym` field'],
  ['no version of the API', { agentgym: { plugin: './dist/index.js' } }, 'no version of the plugin API'],
  [
    'another version of the API',
    { agentgym: { apiVersion: 2 } },
    'version 2 of the plugin API, but this agentgym has version 1',
  ],
  ['a version that is a text', { agentgym: { apiVersion: '1' } }, 'version "1"'],
  ['no oclif field', { oclif: undefined }, 'no `oclif` field'],
  ['another host', { peerDependencies: { '@agentgym/cli': '^3' } }, 'needs @agentgym/cli ^3, but this is 0.1.0'],
  ['no entry', { agentgym: { apiVersion: 1 } }, '`agentgym.plugin` in its package.json is not a path'],
  ['an entry outside', { agentgym: { apiVersion: 1, plugin: '../x.js' } }, 'lies outside its package'],
  ['an absolute entry', { agentgym: { apiVersion: 1, plugin: '/etc/hosts' } }, 'lies outside its package'],
  ['the folder as entry', { agentgym: { apiVersion: 1, plugin: '.' } }, 'lies outside its package'],
  [
    'an entry that is not there',
    { agentgym: { apiVersion: 1, plugin: './src/x.js' } },
    'its entry ./src/x.js does not exist',
  ],
  [
    'an entry that must be built',
    { agentgym: { apiVersion: 1, plugin: './b.js' }, scripts: { prepare: 'tsc' } },
    '`prepare` runs `tsc`',
  ],
  ['no name', { name: undefined }, 'its package.json has no `name`'],
  ['no version', { version: undefined }, 'its package.json has no `version`'],
  ['a version that is none', { version: 'new' }, 'the version "new", which is not a semantic version'],
])('refuses a package with %s', async (_what, changes, said) => {
  await expect(checkPackage(packageWith(changes), '0.1.0')).rejects.toMatchObject({
    code: 'AG_PLUGIN_REFUSED',
    message: expect.stringContaining(said) as unknown,
  });
});

it('a folder without a readable package.json is no package', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-package-'));
  await expect(checkPackage(folder, '0.1.0')).rejects.toMatchObject({ code: 'AG_PLUGIN_NOT_FOUND' });
  writeFileSync(join(folder, 'package.json'), 'null');
  await expect(checkPackage(folder, '0.1.0')).rejects.toMatchObject({ code: 'AG_PLUGIN_REFUSED' });
  writeFileSync(join(folder, 'package.json'), '{');
  await expect(checkPackage(folder, '0.1.0')).rejects.toMatchObject({ code: 'AG_PLUGIN_NOT_FOUND' });
});
