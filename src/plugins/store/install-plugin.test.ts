import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, it } from 'vitest';

import { installPlugin } from './install-plugin.js';
import { readStoredPlugins, type PluginStore } from './plugin-store.js';
import { uninstallPlugin } from './uninstall-plugin.js';

const repository = fileURLToPath(new URL('../../..', import.meta.url));

// Needs a build, because the entry is imported in another process. All other parts of installing are tested in
// test/registry.
it('from a source checkout a friendly name is a folder of the checkout, which is linked without a registry', async () => {
  const store: PluginStore = {
    dataDirectory: mkdtempSync(join(tmpdir(), 'agentgym-checkout-')),
    host: { root: repository, version: '0.1.0', plugins: ['@agentgym/plugin-env-textcraft'] },
    registry: 'http://127.0.0.1:9/',
    signal: new AbortController().signal,
    note: () => {},
  };
  const installed = await installPlugin(store, {
    specifier: 'env-textcraft',
    cwd: '/',
    claimed: () => Promise.resolve([]),
    allowScripts: () => Promise.resolve(false),
  });
  expect(installed).toMatchObject({ type: 'link', contributions: [{ kind: 'environment', name: 'textcraft' }] });
  const root = join(repository, 'plugins', 'env-textcraft');
  expect(await readStoredPlugins(store.dataDirectory)).toEqual([
    { name: '@agentgym/plugin-env-textcraft', type: 'link', root },
  ]);
  await uninstallPlugin(store, { name: root, cwd: '/' });
  await expect(uninstallPlugin(store, { name: 'env-textcraft', cwd: '/' })).rejects.toMatchObject({
    code: 'AG_PLUGIN_NOT_INSTALLED',
    message: expect.stringContaining('is part of agentgym') as unknown,
  });
  await expect(uninstallPlugin(store, { name: 'env-x', cwd: '/' })).rejects.toMatchObject({
    hint: 'Installed: none.',
  });
});
