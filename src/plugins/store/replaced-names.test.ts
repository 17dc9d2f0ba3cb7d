import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { beforeEach, describe, expect, it } from 'vitest';

import { installPlugin } from './install-plugin.js';
import { linkPlugin } from './link-plugin.js';
import { readStoredPlugins, type PluginStore } from './plugin-store.js';
import { updatePlugins } from './update-plugins.js';

const BUILT_IN = '@agentgym/plugin-env-textcraft';

/** A package with a plugin that contributes nothing. */
function writePackage(folder: string, name: string): string {
  mkdirSync(folder, { recursive: true });
  const agentgym = { apiVersion: 1, plugin: './index.js' };
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name, version: '1.0.0', type: 'module', oclif: {}, agentgym }),
  );
  writeFileSync(join(folder, 'index.js'), 'export default [];');
  return folder;
}

let root: string;
let store: PluginStore;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'agentgym-names-'));
  store = {
    dataDirectory: join(root, 'data'),
    host: { root, version: '0.1.0', plugins: [BUILT_IN] },
    registry: 'http://127.0.0.1:9/',
    signal: new AbortController().signal,
    note: () => {},
  };
});

const none = { claimed: () => Promise.resolve([]), allowScripts: () => Promise.resolve(false) };
const install = (specifier: string) => installPlugin(store, { specifier, cwd: '/', ...none });

// Needs a build, because entries are imported in another process.
describe('a package from elsewhere', () => {
  it('with the name of a built-in plugin is refused, and a link with it is taken', async () => {
    const folder = writePackage(join(root, 'mine'), BUILT_IN);
    await expect(install(folder)).rejects.toMatchObject({
      code: 'AG_PLUGIN_REFUSED',
      message: expect.stringContaining('is that of a plugin that comes with agentgym') as string,
      hint: expect.stringContaining('agentgym plugins link') as string,
    });
    expect(await readStoredPlugins(store.dataDirectory)).toEqual([]);
    expect(await linkPlugin(store, { folder, claimed: none.claimed })).toMatchObject({ name: BUILT_IN });
  });

  // Goes red when an update takes whatever name the package has by then.
  it('that takes another name later is not updated', async () => {
    const folder = writePackage(join(root, 'mine'), 'mine');
    await install(folder);
    writePackage(folder, BUILT_IN);
    await expect(updatePlugins(store, { names: [], cwd: '/', ...none })).rejects.toMatchObject({
      code: 'AG_PLUGIN_REFUSED',
      message: expect.stringContaining(`is now called ${BUILT_IN}`) as string,
    });
    expect(await readStoredPlugins(store.dataDirectory)).toMatchObject([{ name: 'mine' }]);
  });

  it('whose folder is a link to itself is told as such', async () => {
    symlinkSync(join(root, 'loop'), join(root, 'loop'));
    await expect(linkPlugin(store, { folder: join(root, 'loop'), claimed: none.claimed })).rejects.toMatchObject({
      code: 'AG_PLUGIN_NOT_FOUND',
      message: expect.stringContaining('ELOOP') as string,
    });
  });
});
