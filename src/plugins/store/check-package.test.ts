import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { checkPackage } from './check-package.js';

/** A list in a list, and so on. */
function deepList(depth: number): unknown {
  let list: unknown = [];
  for (let i = 0; i < depth; i += 1) list = [list];
  return list;
}

/** JSON.stringify does not write deep values. */
function textOf(json: object): string {
  const deep = (value: unknown): string => {
    let depth = 0;
    for (let at = value; Array.isArray(at); at = at[0] as unknown) depth += 1;
    return depth === 0 ? JSON.stringify(value) : '['.repeat(depth) + ']'.repeat(depth);
  };
  const members = Object.entries(json).filter(([, value]) => value !== undefined);
  return `{${members.map(([key, value]) => `${JSON.stringify(key)}: ${deep(value)}`).join(', ')}}`;
}

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
  writeFileSync(join(folder, 'package.json'), textOf({ ...good, ...changes }));
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
  ['no name', { name: undefined }, 'its package.json has no name'],
  ['no version', { version: undefined }, 'its package.json has no version'],
  ['a name that leaves its folder', { name: '../../x' }, 'the name "../../x", which is not a name of a package'],
  ['a name that writes to the terminal', { name: '\u001b[31mx' }, 'the name "\\u001b[31mx"'],
  ['a name without end', { name: 'x'.repeat(10 ** 6) }, 'which is not a name of a package'],
  ['a name that is a deep list', { name: deepList(10_000) }, 'a list as name'],
  ['a version that is a deep list', { version: deepList(10_000) }, 'a list as version'],
  ['the name of the host', { name: '@agentgym/cli' }, 'the name @agentgym/cli, which belongs to agentgym itself'],
  ['the name of a part of the host', { name: '@oclif/plugin-help' }, 'which belongs to agentgym itself'],
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

// Goes red when package.json is read without a look at what it is: a pipe is waited for without end.
describe('a package.json that is not one', () => {
  const told = (folder: string) => checkPackage(folder, '0.1.0').then(String, (error: Error) => error.message);

  it.each([
    ['a pipe', (file: string) => execFileSync('mkfifo', [file]), 'is a pipe, not a file'],
    ['a device', (file: string) => symlinkSync('/dev/zero', file), 'is a device, not a file'],
    ['a folder', (file: string) => mkdirSync(file), 'is a folder, not a file'],
    ['a link to itself', (file: string) => symlinkSync(file, file), 'ELOOP'],
    [
      'gigabytes',
      (file: string) => (writeFileSync(file, ''), truncateSync(file, 2 ** 32)),
      'has 4294967296 bytes; at most 4194304 are read',
    ],
    ['a million brackets', (file: string) => writeFileSync(file, '['.repeat(1_000_000)), 'cannot be read'],
  ])('%s is refused at once', async (_what, make, said) => {
    const folder = packageWith({});
    rmSync(join(folder, 'package.json'));
    make(join(folder, 'package.json'));
    expect(await told(folder)).toContain(said);
  });

  it('an entry that is a link to a file outside is refused, one inside is taken', async () => {
    const folder = packageWith({});
    const outside = packageWith({});
    rmSync(join(folder, 'dist', 'index.js'));
    writeFileSync(join(folder, 'real.js'), '');
    symlinkSync(join(folder, 'real.js'), join(folder, 'dist', 'index.js'));
    expect(await told(folder)).toBe('[object Object]');
    rmSync(join(folder, 'dist', 'index.js'));
    symlinkSync(join(outside, 'dist', 'index.js'), join(folder, 'dist', 'index.js'));
    expect(await told(folder)).toContain('is a link to a file outside its package');
  });
});
