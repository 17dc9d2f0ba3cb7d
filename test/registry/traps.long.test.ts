// `agentgym plugins` as users see it: an installed host, a real registry, and packages of others. P1 to P10 and N1 to
// N4 are the traps of oclif's plugin commands and of npm. Each test says what turns it red.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { beforeAll, describe, expect, inject, it } from 'vitest';

import { repository } from '../architecture/source-files.js';
import { hasTerminal, runOnTerminal } from '../terminal.js';
import {
  fixtureRepository,
  LEAVES_A_FILE,
  packFixture,
  publishFixture as publish,
  publishWithNpm,
  writeFixturePlugin,
} from './fixture-plugin.js';
import { agentgym, environmentsOf, errorOf, inspect, installedBy, newUser, type User } from './run-agentgym.js';

const run = promisify(execFile);

/** Blocks its thread without using the processor. */
const WAITS = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)';

beforeAll(async () => {
  await publish({ name: '@agentgym/plugin-env-penny' });
});

describe('traps of plugin commands', () => {
  // Red when the package is searched by the kind of its URL, instead of read from npm's tarball (pack-plugin.ts).
  it('P1: the second folder, tarball of one file name, and repository is the plugin that was named', async () => {
    const user = newUser();
    const folders = [
      await writeFixturePlugin({ name: 'fixture-a', environment: 'coin-a' }),
      await writeFixturePlugin({ name: 'fixture-b', environment: 'coin-b' }),
    ];
    for (const folder of [...folders].reverse()) await agentgym(user, ['plugins', 'install', folder]);
    expect(await environmentsOf(user)).toEqual(['coin-a', 'coin-b']);

    const packed = [
      await packFixture(join(user.cwd, 'one'), { name: 'fixture-c', environment: 'coin-c' }),
      await packFixture(join(user.cwd, 'two'), { name: 'fixture-d', environment: 'coin-d' }),
    ].map((path) => {
      renameSync(path, join(path, '..', 'plugin.tgz'));
      return join(path, '..', 'plugin.tgz');
    });
    for (const path of [...packed].reverse()) expect((await agentgym(user, ['plugins', 'install', path])).code).toBe(0);
    expect(await environmentsOf(user)).toEqual(['coin-a', 'coin-b', 'coin-c', 'coin-d']);

    const repositories = [
      await fixtureRepository(user.cwd, 'e.git', { name: 'fixture-e', environment: 'coin-e' }),
      await fixtureRepository(user.cwd, 'f.git', { name: 'fixture-f', environment: 'coin-f' }),
    ];
    for (const path of [...repositories].reverse()) {
      const done = await agentgym(user, ['plugins', 'install', `git+file://${path}#v1.0.0`]);
      expect(done.json).toMatchObject({ name: path.endsWith('e.git') ? 'fixture-e' : 'fixture-f' });
    }
    expect(await environmentsOf(user)).toHaveLength(6);
    // Their sources may be removed, because each plugin is a copy.
    for (const path of [...folders, ...packed, ...repositories]) rmSync(path, { recursive: true });
    expect((await agentgym(user, ['plugins', 'uninstall', 'fixture-c'])).code).toBe(0);
    expect((await agentgym(user, ['plugins', 'install', 'env-penny'])).code).toBe(0);
    expect(await environmentsOf(user)).toEqual(['coin', 'coin-a', 'coin-b', 'coin-d', 'coin-e', 'coin-f']);
  });

  // Red when a tarball's name in pack-plugin.ts does not depend on its content: npm then expects the hash of the first.
  it('P1: a folder that has changed without a new version is installed anew', async () => {
    const user = newUser();
    const folder = await writeFixturePlugin({ name: 'fixture-changing', environment: 'coin-before' });
    await agentgym(user, ['plugins', 'install', folder]);
    const entry = join(folder, 'dist', 'index.js');
    writeFileSync(entry, readFileSync(entry, 'utf8').replace('coin-before', 'coin-after'));
    const again = await agentgym(user, ['plugins', 'install', folder]);
    expect(again.code, again.stdout).toBe(0);
    expect(await environmentsOf(user)).toEqual(['coin-after']);
  });

  // Red when `isSlug` in parse-specifier.ts is false: the path becomes a repository of GitHub.
  it('P2: a path is read from the current folder, also where it reads like user/repository', async () => {
    const user = newUser();
    const source = await writeFixturePlugin({ name: 'fixture-path', environment: 'coin-path' });
    cpSync(source, join(user.cwd, 'somebody', 'repository'), { recursive: true });
    expect((await agentgym(user, ['plugins', 'install', 'somebody/repository'])).json['name']).toBe('fixture-path');
    const missing = await agentgym(user, ['plugins', 'install', './nothing.tgz']);
    expect(errorOf(missing)).toMatchObject({ code: 'AG_PLUGIN_NOT_FOUND' });
  });

  // Red without `standInForHost` in plugin-generation.ts: npm fetches the host and 40 MB with it.
  it('P3: a peer, or a dependency, on the host fetches no second host', async () => {
    await publish({ name: '@fixture/peer', environment: 'coin-peer', json: { peerDependenciesMeta: undefined } });
    await publish({
      name: '@fixture/dependant',
      environment: 'coin-dependant',
      json: { dependencies: { '@agentgym/cli': '>=0.0.1' } },
    });
    const user = newUser();
    for (const name of ['@fixture/peer', '@fixture/dependant']) {
      const done = await agentgym(user, ['plugins', 'install', name]);
      expect(done.code, done.stderr).toBe(0);
    }
    const { root } = await inspect(user, '@fixture/peer');
    const modules = join(root as string, '..', '..');
    expect(existsSync(join(modules, '@agentgym', 'cli', 'bin'))).toBe(false);
    expect(existsSync(join(modules, '@oclif'))).toBe(false);
  });

  it('P3: a plugin for another host is told both versions', async () => {
    const folder = await writeFixturePlugin({
      name: 'fixture-later',
      json: { peerDependencies: { '@agentgym/cli': '>=7' } },
    });
    const refused = await agentgym(newUser(), ['plugins', 'install', folder]);
    expect(errorOf(refused)).toMatchObject({ code: 'AG_PLUGIN_REFUSED' });
    expect(errorOf(refused).message).toMatch(/needs @agentgym\/cli >=7, but this is 0\.1\.0/);
  });

  // Red when `commit` comes before `acceptPlugin`, or when the probe's deadline or exit is ignored.
  describe('P4, P5: a plugin that is refused', () => {
    // A refused plugin changes nothing, so all tests share one user.
    let user: User;
    beforeAll(async () => {
      user = newUser();
      const good = await writeFixturePlugin({ name: 'fixture-good', environment: 'coin-good' });
      expect((await agentgym(user, ['plugins', 'install', good])).code).toBe(0);
    });

    it.each([
      ['throws', 'throw new Error("at once")', 'at once'],
      ['ends the process', 'process.exit(0)', 'importing its entry ends the process (exit code 0)'],
      ['throws a moment later', 'setTimeout(() => { throw new Error("too late"); }, 50);', 'too late'],
      ['hangs', WAITS, 'did not finish within 10 s'],
      ['exports something else', 'export default [{ kind: "environment", name: "X" }]', '[0].name'],
    ])('P4: whose entry %s leaves what was there', async (_how, entry, said) => {
      const list = readFileSync(join(user.data, 'package.json'), 'utf8');
      const bad = await writeFixturePlugin({ name: 'fixture-bad', entry });
      const refused = await agentgym(user, ['plugins', 'install', bad]);
      expect(refused.code).toBe(2);
      expect(errorOf(refused).code).toBe('AG_PLUGIN_REFUSED');
      expect(errorOf(refused).message).toContain(said);
      expect(readFileSync(join(user.data, 'package.json'), 'utf8')).toBe(list);
      expect(await environmentsOf(user)).toEqual(['coin-good']);
    });

    // Red when names of other plugins are not compared (accept-plugin.ts).
    it('P5: whoever comes second with a name is refused, so that order carries no meaning', async () => {
      const rival = await writeFixturePlugin({ name: 'fixture-rival', environment: 'coin-good' });
      const refused = await agentgym(user, ['plugins', 'install', rival]);
      expect(errorOf(refused).code).toBe('AG_CONTRIBUTION_CONFLICT');
      expect(errorOf(refused).message).toMatch(/fixture-rival.*fixture-good/);
    });
  });

  // Red without report-missing-plugins.ts.
  it('P6: a link says nothing while it works, one line once its folder has gone, and can be removed then', async () => {
    const user = newUser();
    const folder = await writeFixturePlugin({ name: 'fixture-linked', environment: 'coin-linked' });
    const offline = { npm_config_registry: 'http://127.0.0.1:9/' };
    const linked = await agentgym(user, ['plugins', 'link', folder], offline);
    expect(linked).toMatchObject({ code: 0, stderr: '' });
    expect((await agentgym(user, ['list', 'environments'])).stderr).toBe('');
    expect(await environmentsOf(user)).toEqual(['coin-linked']);
    renameSync(folder, `${folder}-moved`);
    const { code, stderr } = await agentgym(user, ['list', 'environments']);
    expect(code).toBe(0);
    expect(stderr.trim().split('\n')).toEqual([expect.stringContaining('`agentgym plugins uninstall fixture-linked`')]);
    expect((await agentgym(user, ['plugins', 'unlink', folder])).code).toBe(0);
    expect((await agentgym(user, ['list', 'environments'])).stderr).toBe('');
  });

  // Red when a name is missing in `oclif.plugins` or in `dependencies` of the host.
  it('P7: what comes with the host is there, cannot be uninstalled, and is replaced by a link of its name', async () => {
    const user = newUser();
    const { json } = await agentgym(user, ['plugins']);
    const text = readFileSync(join(repository, 'package.json'), 'utf8');
    const { plugins } = (JSON.parse(text) as { oclif: { plugins: string[] } }).oclif;
    const own = plugins.filter((name) => name.startsWith('@agentgym/'));
    expect((json['plugins'] as { name: string }[]).map(({ name }) => name).sort()).toEqual(own.sort());
    const refused = await agentgym(user, ['plugins', 'uninstall', 'env-textcraft']);
    expect(errorOf(refused).message).toContain('is part of agentgym');
    const replacing = await writeFixturePlugin({
      name: '@agentgym/plugin-env-textcraft',
      environment: 'coin-craft',
      version: '9.0.0',
    });
    expect((await agentgym(user, ['plugins', 'link', replacing])).code).toBe(0);
    expect(await environmentsOf(user)).toEqual(['coin-craft']);
  });

  // Red without `--ignore-scripts` in run-npm.ts, or without findInstallScripts.
  it('P8: install scripts are named and not run; with --allow-scripts they run', async () => {
    await publish({
      name: '@fixture/dependency',
      json: { scripts: { postinstall: LEAVES_A_FILE }, agentgym: undefined },
    });
    const json = { dependencies: { '@fixture/dependency': '1.0.0' } };
    await publish({ name: '@fixture/scripted', environment: 'coin-scripted', json });
    const user = newUser();
    const quiet = await agentgym(user, ['plugins', 'install', '@fixture/scripted']);
    expect(quiet.stderr).toContain('@fixture/dependency 1.0.0 has install scripts');
    expect(quiet.stderr).toContain(LEAVES_A_FILE);
    const place = (root: unknown) => join(String(root), '..', 'dependency', 'ran');
    const rootNow = async () => (await inspect(user, '@fixture/scripted'))['root'];
    expect(existsSync(place(await rootNow()))).toBe(false);
    await agentgym(user, ['plugins', 'uninstall', '@fixture/scripted']);
    const allowed = await agentgym(user, ['plugins', 'install', '@fixture/scripted', '--allow-scripts']);
    expect(allowed.json).toMatchObject({ scripts: { ran: true } });
    expect(existsSync(place(await rootNow()))).toBe(true);
  });

  // Red when confirm.ts does not ask, or ignores the answer.
  it.skipIf(!hasTerminal)('P8: on a terminal one is asked whether install scripts may run', async () => {
    await publish({
      name: '@fixture/asking',
      environment: 'coin-asking',
      json: { scripts: { postinstall: LEAVES_A_FILE } },
    });
    const answer = async (keys: string) => {
      const user = newUser();
      const command = `"${process.execPath}" "${inject('installed').bin}" plugins install @fixture/asking`;
      const settings = { cwd: user.cwd, environment: user.environment };
      const { code, shown } = await runOnTerminal(command, settings, [[/Run this\?/, keys]]);
      expect(shown).toContain(
        '@fixture/asking 1.0.0 wants to run these commands with all your rights: postinstall: node -e',
      );
      const installed = (await installedBy(user)).includes('@fixture/asking');
      const ran = installed && existsSync(join(String((await inspect(user, '@fixture/asking'))['root']), 'ran'));
      return { code, installed, ran };
    };
    expect(await answer('y\r')).toEqual({ code: 0, ran: true, installed: true });
    // Enter alone does not mean yes.
    expect(await answer('\r')).toEqual({ code: 0, ran: false, installed: true });
    expect(await answer('\u0003')).toEqual({ code: 130, ran: false, installed: false });
  });

  // Red when commands ignore AGENTGYM_DATA_DIR.
  it('P9: a data folder of its own holds a set of its own', async () => {
    const user = newUser();
    const other = { AGENTGYM_DATA_DIR: join(user.cwd, '.agentgym') };
    await agentgym(user, ['plugins', 'install', 'env-penny'], other);
    expect(await environmentsOf(user)).toEqual([]);
    expect(await environmentsOf({ ...user, environment: { ...user.environment, ...other } })).toEqual(['coin']);
  });
});

describe('traps of npm', () => {
  // By default npm 12 allows no git dependencies. Red when npm gets the address instead of the files that git fetched
  // (fetch-repository.ts).
  it('N1: a repository is installed where npm allows none, by tag; one that must be built is told so, and nothing of it runs', async () => {
    const user = newUser({
      npm_config_allow_git: 'none',
      npm_config_allow_remote: 'none',
      npm_config_allow_file: 'none',
    });
    const path = await fixtureRepository(user.cwd, 'plain.git', { name: 'fixture-git', environment: 'coin-git' });
    const done = await agentgym(user, ['plugins', 'install', `git+file://${path}#semver:^1`]);
    expect(done.code, done.stderr).toBe(0);
    const commit = expect.stringMatching(/^[0-9a-f]{40}$/) as unknown;
    expect(await inspect(user, 'fixture-git')).toMatchObject({ commit });
    const source = await fixtureRepository(user.cwd, 'source.git', {
      name: 'fixture-source',
      json: {
        scripts: { prepare: `node -e "require('fs').writeFileSync('${user.cwd}/ran', '')"` },
        agentgym: { apiVersion: 1, plugin: './build/index.js' },
      },
    });
    const refused = await agentgym(user, ['plugins', 'install', `git+file://${source}`]);
    expect(errorOf(refused).message).toContain('must be built first (`prepare`');
    expect(existsSync(join(user.cwd, 'ran'))).toBe(false);
    const nowhere = await agentgym(user, ['plugins', 'install', `git+file://${path}#v9`]);
    expect(errorOf(nowhere).code).toBe('AG_PLUGIN_NOT_FOUND');
  });

  // Red without --ignore-scripts: the script of an optional dependency fails, or fetches from a host that does not
  // exist.
  it('N2: a dependency whose install script would fail does not fail the plugin', async () => {
    await publish({ name: '@fixture/native', json: { scripts: { install: 'exit 1' }, agentgym: undefined } });
    const json = { dependencies: { '@fixture/native': '1.0.0' } };
    await publish({ name: '@fixture/gpu', environment: 'coin-gpu', json });
    const user = newUser();
    expect((await agentgym(user, ['plugins', 'install', '@fixture/gpu'])).code).toBe(0);
    const failed = await agentgym(newUser(), ['plugins', 'install', '@fixture/gpu', '--allow-scripts']);
    expect(errorOf(failed).code).toBe('AG_PLUGIN_INSTALL_FAILED');
  });

  // Red without "." in the workspaces of the root.
  it('N3: all packages of the workspace are in the registry, the host among them', async () => {
    expect(inject('tarballs').length).toBeGreaterThanOrEqual(14);
    const { stdout } = await run('npm', ['view', '@agentgym/cli', 'name'], {
      env: { ...process.env, ...inject('registry').environment },
    });
    expect(stdout.trim()).toBe('@agentgym/cli');
  });

  // The second half is red without the token in local-registry.ts.
  it('N4: npm publishes with some token, and without one refuses before it asks', async () => {
    const npmrc = join(newUser().cwd, 'npmrc');
    writeFileSync(npmrc, '');
    const tokens = { name: '@fixture/tokens' };
    await expect(publishWithNpm(tokens, { npm_config_userconfig: npmrc })).rejects.toThrow('ENEEDAUTH');
    await publishWithNpm(tokens);
  });
});
