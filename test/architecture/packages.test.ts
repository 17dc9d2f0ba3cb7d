// What a user gets from the registry: everything that a package needs, and nothing of how it was made. Wants built packages.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { pluginFolders, repository, shown } from './source-files.js';

interface Packed {
  readonly name: string;
  readonly files: readonly { readonly path: string }[];
}

interface PluginPackage {
  readonly name: string;
  readonly version: string;
  readonly files: readonly string[];
  readonly peerDependencies: unknown;
  readonly dependencies?: { readonly [name: string]: string };
}

const read = (folder: string) => JSON.parse(readFileSync(join(repository, folder, 'package.json'), 'utf8')) as unknown;

describe('packages', () => {
  const output = execFileSync('npm', ['pack', '--workspaces', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: repository,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: process.platform === 'win32',
  });
  const packages = Object.fromEntries(
    (JSON.parse(output) as Packed[]).map(({ name, files }) => [name, files.map(({ path }) => path)]),
  );

  it.each(Object.entries(packages))('%s holds what it needs, and no sources, tests or leftovers', (_name, files) => {
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'dist/index.js', 'dist/index.d.ts']));
    // Templates are sources: what `init` copies.
    const own = files.filter((file) => !file.startsWith('templates/'));
    expect(own.filter((file) => /\.test\.|fixtures|tsbuildinfo|(?<!\.d)\.ts$|^src|\.map$/.test(file))).toEqual([]);
  });

  it('@agentgym/cli carries its templates whole, and nothing that was made in them', () => {
    const entries = readdirSync(join(repository, 'templates'), { recursive: true, withFileTypes: true });
    const lying = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => shown(join(parentPath, name)));
    const wanted = lying.filter((file) => !/\/(dist|runs|node_modules)\//.test(file));
    expect(wanted).toContain('templates/environment/_gitignore');
    expect(packages['@agentgym/cli']?.filter((file) => file.startsWith('templates/')).sort()).toEqual(wanted.sort());
  });

  it('@agentgym/cli carries its recipes, its reference and the list of its commands', () => {
    const page = ['dist/reporting/page/report-page.js', 'dist/reporting/page/report-page.css'];
    const needed = [
      ...page,
      'bin/run.js',
      'oclif.manifest.json',
      'docs/reference/recipe.md',
      'docs/reference/errors.md',
    ];
    const entries = readdirSync(join(repository, 'recipes'), { recursive: true, withFileTypes: true });
    const recipes = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => shown(join(parentPath, name)));
    expect(recipes).toContain('recipes/quickstart/recipe.yaml');
    expect(packages['@agentgym/cli']).toEqual(expect.arrayContaining([...needed, ...recipes]));
  });

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
    expect(plugin.files.filter((file) => !file.startsWith('/dist/'))).toEqual([]);
    expect(Object.keys(plugin.dependencies ?? {}).filter((name) => name.startsWith('@agentgym/'))).toEqual([]);
    expect(readFileSync(join(repository, folder, 'LICENSE'), 'utf8')).toBe(
      readFileSync(join(repository, 'LICENSE'), 'utf8'),
    );
  });
});
