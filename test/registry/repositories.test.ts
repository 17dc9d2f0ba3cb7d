// Repositories on a web server, over the git protocol that works with every file server, and linked folders.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { fetchRepository } from '../../src/plugins/store/fetch-repository.js';
import { parseSpecifier } from '../../src/plugins/store/parse-specifier.js';
import { fixtureRepository, LEAVES_A_FILE, publishFixture, writeFixturePlugin } from './fixture-plugin.js';
import { agentgym, environmentsOf, errorOf, inspect, installedBy, newUser } from './run-agentgym.js';
import { serve } from './serve.js';

/** A repository with one tag on a server without git support. Returns its address and its commit. */
async function servedRepository(environment: string): Promise<{ url: string; commit: string }> {
  const { cwd } = newUser();
  const path = await fixtureRepository(cwd, 'coins.git', { name: `fixture-${environment}`, environment });
  const git = (...args: string[]) => execFileSync('git', args, { cwd: path, encoding: 'utf8' }).trim();
  git('update-server-info');
  const url = await serve((request, response) => {
    const file = join(cwd, new URL(request.url ?? '/', 'http://localhost').pathname);
    if (existsSync(file)) response.end(readFileSync(file));
    else response.writeHead(404).end();
  });
  return { url: `${url}coins.git`, commit: git('rev-parse', 'trunk') };
}

// Red without the second fetches in fetch-repository.ts: such a server cannot send a single commit or a part of a
// history. A fetched repository is installed like any other folder, so only one of them is installed.
describe('a repository on a web server', () => {
  it.each([
    ['its default branch', (): string => ''],
    ['a branch', () => '#trunk'],
    ['a tag', () => '#v1.0.0'],
    ['a range of versions', () => '#semver:^1'],
    ['a commit', (commit: string) => `#${commit}`],
  ])('is fetched by %s', async (_what, reference) => {
    const served = await servedRepository('coin-served');
    const folder = mkdtempSync(join(tmpdir(), 'agentgym-fetched-'));
    const specifier = parseSpecifier(`${served.url}${reference(served.commit)}`, folder);
    if (specifier.type !== 'repository') throw new Error(`it is read as a ${specifier.type}`);
    const { signal } = new AbortController();
    const commit = await fetchRepository(specifier.url, specifier.reference, folder, signal);
    expect(commit).toBe(served.commit);
    expect(readFileSync(join(folder, 'dist', 'index.js'), 'utf8')).toContain('coin-served');
  });

  it('is installed', async () => {
    const { url, commit } = await servedRepository('coin-served');
    const user = newUser();
    const done = await agentgym(user, ['plugins', 'install', `${url}#${commit}`]);
    expect(done.json, done.stderr).toMatchObject({ name: 'fixture-coin-served' });
    expect(await inspect(user, 'fixture-coin-served')).toMatchObject({ commit });
    expect(await environmentsOf(user)).toEqual(['coin-served']);
  });
});

// Red when git asks on a terminal for a name and a password: nobody would see the question.
describe('a repository on a server', () => {
  // Failures change nothing, so all tests share one user.
  const user = newUser();

  it.each([
    [401, 'AG_PLUGIN_UNREACHABLE'],
    [403, 'AG_PLUGIN_UNREACHABLE'],
    [404, 'AG_PLUGIN_NOT_FOUND'],
    [500, 'AG_PLUGIN_UNREACHABLE'],
  ])('that answers %i', async (status, code) => {
    const url = await serve((_, response) =>
      response.writeHead(status, status === 401 ? { 'www-authenticate': 'Basic realm="git"' } : {}).end(),
    );
    const failed = await agentgym(user, ['plugins', 'install', `git+${url}coins.git`]);
    expect(failed.code).toBe(2);
    expect(errorOf(failed)).toMatchObject({ code, hint: expect.stringContaining('git ls-remote') as unknown });
    expect(await installedBy(user)).toEqual([]);
  });
});

// Red without installDependencies, or when install scripts do not run.
it('link --install installs what the folder depends on, with its scripts', async () => {
  await publishFixture({ name: '@fixture/needed', json: { agentgym: undefined } });
  const scripts = { postinstall: LEAVES_A_FILE };
  const json = { dependencies: { '@fixture/needed': '1.0.0' }, scripts };
  const folder = await writeFixturePlugin({ name: 'fixture-own', environment: 'coin-own', json });
  const user = newUser();
  expect((await agentgym(user, ['plugins', 'link', folder])).code).toBe(0);
  expect(existsSync(join(folder, 'node_modules'))).toBe(false);
  expect((await agentgym(user, ['plugins', 'link', folder, '--install'])).code).toBe(0);
  expect(existsSync(join(folder, 'node_modules', '@fixture', 'needed', 'package.json'))).toBe(true);
  expect(existsSync(join(folder, 'ran'))).toBe(true);
  expect(await environmentsOf(user)).toEqual(['coin-own']);

  const broken = await writeFixturePlugin({ name: 'fixture-broken', json: { dependencies: { '@fixture/none': '1' } } });
  const failed = await agentgym(user, ['plugins', 'link', broken, '--install']);
  expect(errorOf(failed).code).toBe('AG_PLUGIN_NOT_FOUND');
  expect(await environmentsOf(user)).toEqual(['coin-own']);
});
