import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { documentOf, freshDataFolders } from './run-cli.js';
import { runWarm } from './warm-cli.js';
import { coinCode, coinEntry, link, newFolder, packageJson } from './write-plugin.js';

const coin = (name: string, version = '1.0.0', environment = 'coin', summary?: string) => ({
  'package.json': packageJson({ name, version }),
  'index.js': coinEntry(environment, summary),
  'coin.js': coinCode(),
});

/** The files of a package below a folder. */
function inside(folder: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]));
}

async function environments(cwd: string, data = freshDataFolders()) {
  const result = await runWarm(['list', 'environments', '--json'], { cwd, environment: data });
  // If the process dies, only its exit code and its standard error are known.
  expect(result.stdout, `${result.code}: ${result.stderr}`).not.toBe('');
  const listed = documentOf(result)['environments'] as {
    name: string;
    plugin: string;
    version: string;
    origin: string;
  }[];
  return {
    ...result,
    others: listed
      .filter(({ origin }) => origin !== 'built-in')
      .map(({ summary: _, ...item }: Record<string, unknown>) => item),
    listed,
  };
}

describe('plugins of a project', () => {
  // Goes red when `installedPlugins` ignores the project, or looks only at the current folder.
  it('are itself and its dependencies of every kind, from any folder inside', async () => {
    const project = newFolder({
      'package.json': packageJson({
        name: 'my-project',
        more: {
          dependencies: { 'coin-a': '^1.0.0', library: '1' },
          devDependencies: { '@scope/coin-b': '*' },
          optionalDependencies: { 'coin-c': '*' },
        },
      }),
      'index.js': coinEntry('own'),
      'coin.js': coinCode(),
      'deep/er/recipe.yaml': '',
      ...inside('node_modules/coin-a', coin('coin-a', '1.2.0', 'a')),
      ...inside('node_modules/@scope/coin-b', coin('@scope/coin-b', '1.0.0', 'b')),
      ...inside('node_modules/coin-c', coin('coin-c', '1.0.0', 'c')),
      ...inside('node_modules/not-named', coin('not-named', '1.0.0', 'd')),
      'node_modules/library/package.json': JSON.stringify({ name: 'library', version: '1.0.0' }),
    });
    const { others, stderr, code } = await environments(join(project, 'deep/er'));
    expect(others).toEqual([
      { name: 'a', plugin: 'coin-a', version: '1.2.0', origin: 'project' },
      { name: 'b', plugin: '@scope/coin-b', version: '1.0.0', origin: 'project' },
      { name: 'c', plugin: 'coin-c', version: '1.0.0', origin: 'project' },
      { name: 'own', plugin: 'my-project', version: '1.0.0', origin: 'project' },
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect((await environments(newFolder())).others).toEqual([]);
  });

  // Goes red when `findDependency` looks into only one node_modules.
  it('are found in a workspace, through links and in node_modules further up', async () => {
    const root = newFolder({
      'package.json': JSON.stringify({ name: 'root', workspaces: ['packages/*'] }),
      'packages/agent/package.json': JSON.stringify({ name: 'agent', dependencies: { 'coin-a': '*', 'coin-b': '*' } }),
      ...inside('packages/coin', coin('coin-a', '1.0.0', 'a')),
      ...inside('node_modules/coin-b', coin('coin-b', '1.0.0', 'b')),
    });
    symlinkSync(join(root, 'packages/coin'), join(root, 'node_modules/coin-a'));
    const { others } = await environments(join(root, 'packages/agent'));
    expect(others).toMatchObject([{ name: 'a' }, { name: 'b' }]);
  });

  // Goes red when a name may count twice (then `coin` is a conflict), or when the linked package wins.
  it('stand in the place of linked and built-in packages of their name, and `list` says so', async () => {
    const data = freshDataFolders();
    link(data.AGENTGYM_DATA_DIR, { 'plugin-coin': newFolder(coin('plugin-coin', '1.0.0')) });
    const builtIn = '@agentgym/plugin-env-guess-number';
    const project = newFolder({
      'package.json': JSON.stringify({ name: 'p', dependencies: { 'plugin-coin': '*', [builtIn]: '*' } }),
      ...inside('node_modules/plugin-coin', coin('plugin-coin', '2.0.0', 'coin', 'Flip')),
      ...inside(`node_modules/${builtIn}`, coin(builtIn, '9.0.0', 'guess-number')),
    });
    const here = await environments(project, data);
    expect(here.others).toEqual([
      { name: 'coin', plugin: 'plugin-coin', version: '2.0.0', origin: 'project' },
      { name: 'guess-number', plugin: builtIn, version: '9.0.0', origin: 'project' },
    ]);
    expect(here.stderr).toContain('plugin-coin 2.0.0 (of the project) is used, not 1.0.0 (linked).');
    expect(here.stderr).toMatch(/guess-number 9\.0\.0 \(of the project\) is used, not .* \(built in\)\./);
    const elsewhere = await environments(newFolder(), data);
    expect(elsewhere.others).toEqual([{ name: 'coin', plugin: 'plugin-coin', version: '1.0.0', origin: 'linked' }]);
    const shown = await runWarm(['list', 'environments'], { cwd: project, environment: data });
    expect(shown.stdout).toMatch(/coin +Flip \(plugin-coin, of the project\)/);
  });

  it('that are not installed are problems where they are named like plugins, with the command that helps', async () => {
    const project = newFolder({
      'package.json': JSON.stringify({
        name: 'p',
        dependencies: { '@agentgym/plugin-env-maze': '^1.0.0', lodash: '4' },
        optionalDependencies: { 'agentgym-plugin-env-maybe': '1' },
      }),
    });
    const { stderr, code } = await environments(project);
    expect(code).toBe(0);
    const lines = stderr.trim().split('\n');
    expect(lines).toEqual([
      `Plugin @agentgym/plugin-env-maze has a problem: ${project}/package.json depends on it, but it is not installed. Run \`npm install\` there.`,
    ]);
    const lost = await runWarm(['describe', 'environment', 'maze', '--json'], { cwd: project });
    expect(documentOf(lost)).toMatchObject({
      error: { code: 'AG_CONTRIBUTION_UNKNOWN', hint: expect.stringContaining('is not installed') as unknown },
    });
  });

  it('that are not built say so, and a package.json that is none takes nothing down', async () => {
    const unbuilt = newFolder({
      'package.json': packageJson({
        name: 'mine',
        agentgym: { plugin: './dist/environments/index.js', recipe: './recipe.yaml' },
      }),
    });
    expect((await environments(unbuilt)).stderr).toContain(`Build it: \`npm run build\` in ${unbuilt}.`);
    const broken = await environments(newFolder({ 'package.json': '{"name": ' }));
    expect(broken).toMatchObject({ code: 0, stderr: '' });
  });

  it('are none in the checkout of the CLI itself', async () => {
    // Its development dependencies are the built-in plugins, which must stay built-in.
    const { listed } = await environments(join(import.meta.dirname, '../..'));
    expect(new Set(listed.map(({ origin }) => origin))).toEqual(new Set(['built-in']));
  });

  it('can be played from a folder inside', async () => {
    const project = newFolder({
      'package.json': packageJson({ name: 'p' }),
      'index.js': coinEntry(),
      'coin.js': coinCode(),
    });
    mkdirSync(join(project, 'inner'));
    const result = await runWarm(['evaluate', 'oracle', '--environment', 'coin', '--tasks', '4', '--json'], {
      cwd: join(project, 'inner'),
    });
    expect(result.code).toBe(0);
    expect(documentOf(result)).toMatchObject({ environment: 'coin' });
  });
});
