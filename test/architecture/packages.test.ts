// Checks the package.json of each package. test/packages/package-contents.test.ts checks the contents.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { libraryFolders, pluginFolders, repository } from './source-files.js';

interface PluginPackage {
  readonly name: string;
  readonly version: string;
  readonly files: readonly string[];
  readonly peerDependencies: unknown;
  readonly dependencies?: { readonly [name: string]: string };
}

const read = (folder: string) => JSON.parse(readFileSync(join(repository, folder, 'package.json'), 'utf8')) as unknown;

/** Names and exact versions of the packages that plugins may depend on. */
const libraries = libraryFolders().map((folder) => {
  const { name, version } = read(folder) as PluginPackage;
  return [name, version];
});

function expectLicense(folder: string): void {
  const [own, ofRoot] = [folder, '.'].map((place) => readFileSync(join(repository, place, 'LICENSE'), 'utf8'));
  expect(own).toBe(ofRoot);
}

describe('packages', () => {
  it.each(pluginFolders())('%s says what it is, in the same words as all', (folder) => {
    const plugin = read(folder) as PluginPackage;
    expect(plugin).toMatchObject({
      name: `@agentgym/${folder.replace(/^plugins./, 'plugin-')}`,
      license: 'Apache-2.0',
      type: 'module',
      engines: { node: '>=20.19' },
      files: expect.arrayContaining(['/dist/**/*.js', '/dist/**/*.d.ts']),
      oclif: {},
      agentgym: { apiVersion: 1, plugin: './dist/index.js' },
      peerDependencies: { '@agentgym/cli': '>=0.1.0 <2' },
      peerDependenciesMeta: { '@agentgym/cli': { optional: true } },
    });
    expect(plugin.files.filter((file) => !/^\/(dist\/|programs\/\*\.py$)/.test(file))).toEqual([]);
    const own = Object.entries(plugin.dependencies ?? {}).filter(([name]) => name.startsWith('@agentgym/'));
    for (const dependency of own) expect(libraries).toContainEqual(dependency);
    expectLicense(folder);
  });

  it.each(libraryFolders())('%s is no plugin, and depends on nothing', (folder) => {
    const library = read(folder) as PluginPackage;
    expect(library).toMatchObject({
      name: `@agentgym/${folder.replace(/^packages./, '')}`,
      license: 'Apache-2.0',
      type: 'module',
      engines: { node: '>=20.19' },
      files: ['/dist/**/*.js', '/dist/**/*.d.ts'],
      peerDependencies: { '@agentgym/cli': '>=0.1.0 <2' },
      peerDependenciesMeta: { '@agentgym/cli': { optional: true } },
    });
    for (const key of ['oclif', 'agentgym', 'dependencies']) expect(library).not.toHaveProperty(key);
    expectLicense(folder);
  });
});
