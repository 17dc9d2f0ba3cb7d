import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import postinstall from './plugins-postinstall.js';
import preinstall from './plugins-preinstall.js';

const folder = mkdtempSync(join(tmpdir(), 'agentgym-hooks-'));
const context = {
  error(message: string): void {
    throw new Error(message);
  },
};

/** Runs a hook as oclif does: its context is `this`. */
function run(hook: unknown, options: object): Promise<unknown> {
  return (hook as (this: object, options: object) => Promise<unknown>).call(context, options);
}

describe('plugins:preinstall', () => {
  const install = (path: string) => run(preinstall, { plugin: { type: 'repo', url: `https://github.com/${path}` } });

  it('says how a local folder or tarball is installed', () => {
    const tarball = join(folder, 'x.tgz');
    writeFileSync(tarball, '');
    expect(() => install(folder)).toThrow(`agentgym plugins link ${folder}`);
    expect(() => install(tarball)).toThrow(`agentgym plugins install file:${tarball}`);
  });

  it('lets repositories and names through', async () => {
    await install('somebody/a-plugin');
    await run(preinstall, { plugin: { type: 'npm', name: '@agentgym/plugin-env-grid', tag: 'latest' } });
  });
});

describe('plugins:postinstall', () => {
  it('registers every installed plugin that is not listed, and nothing else', async () => {
    const dataDir = join(folder, 'data');
    const packages = { 'algo-tiny': { oclif: {} }, 'env-grid': { oclif: {} }, library: {} };
    for (const [name, json] of Object.entries(packages)) {
      mkdirSync(join(dataDir, 'node_modules', name), { recursive: true });
      writeFileSync(join(dataDir, 'node_modules', name, 'package.json'), JSON.stringify({ name, ...json }));
    }
    const dependencies = { 'algo-tiny': 'file:../a', 'env-grid': 'file:../e', library: '1.0.0', gone: '1.0.0' };
    const listed = { name: 'algo-tiny', type: 'user', url: 'file:../a' };
    const file = join(dataDir, 'package.json');
    writeFileSync(file, JSON.stringify({ dependencies, oclif: { schema: 1, plugins: [listed] } }));
    await run(postinstall, { config: { dataDir } });
    const { oclif } = JSON.parse(readFileSync(file, 'utf8')) as { oclif: object };
    expect(oclif).toEqual({ schema: 1, plugins: [listed, { name: 'env-grid', type: 'user', url: 'file:../e' }] });
  });
});
