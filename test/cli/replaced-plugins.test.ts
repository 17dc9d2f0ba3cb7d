import { join } from 'node:path';

import { expect, it } from 'vitest';

import { documentOf, freshDataFolders, runCli } from './run-cli.js';
import { coinCode, coinEntry, link, newFolder, packageJson } from './write-plugin.js';

// Goes red when pluginSourcesOf does not compare names with those of built-in plugins.
it('every command says which built-in plugin a link replaces, and `plugins` shows it', async () => {
  const name = '@agentgym/plugin-env-guess-number';
  const folder = newFolder({
    'package.json': packageJson({ name, version: '9.0.0' }),
    'index.js': coinEntry('guess-number'),
    'coin.js': coinCode(),
  });
  const environment = freshDataFolders(newFolder());
  link(environment.AGENTGYM_DATA_DIR, { [name]: folder });
  const cwd = join(newFolder());
  const told = /plugin-env-guess-number 9\.0\.0 \(linked\) is used, not 0\.1\.0 \(built in\)\./;
  expect((await runCli(['describe', 'environment', 'guess-number'], { cwd, environment })).stderr).toMatch(told);
  const plugins = documentOf(await runCli(['plugins', '--json'], { cwd, environment }))['plugins'];
  expect(plugins).toContainEqual(expect.objectContaining({ name, note: 'instead of 0.1.0, built-in' }));
});
