// Addresses of plugins with passwords and signatures: they reach the server, and nothing else.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { fixtureRepository, packFixture } from '../registry/fixture-plugin.js';
import { serve } from '../registry/serve.js';
import { documentOf, freshDataFolders, runCli, type CliResult } from './run-cli.js';
import { newFolder } from './write-plugin.js';

const SECRET = 'hunter2-0123456789';

/** A user with a home folder of their own, without a registry. */
function newUser(more: Readonly<Record<string, string>> = {}) {
  const home = newFolder();
  const environment = {
    ...freshDataFolders(home),
    HOME: home,
    npm_config_cache: join(home, 'npm'),
    npm_config_userconfig: join(home, '.npmrc'),
    npm_config_fetch_retries: '0',
    AGENTGYM_NPM_REGISTRY: 'http://127.0.0.1:9/',
    ...more,
  };
  const run = (...args: string[]) => runCli(args, { cwd: home, environment });
  return { home, data: environment.AGENTGYM_DATA_DIR, run };
}

/** Files with the secret below a folder. */
function filesWithSecret(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file, 'latin1').includes(SECRET));
}

const hashOf = (bytes: Buffer) => createHash('sha512').update(bytes).digest('base64');

const said = ({ stdout, stderr }: CliResult) => `${stdout}\n${stderr}`;

/** A server with a tarball and a repository. It asks for the secret as a password, or as `signature` in the query. */
async function secretServer(): Promise<string> {
  const folder = newFolder();
  await packFixture(folder, { name: 'fixture-secret' });
  const repository = await fixtureRepository(folder, 'coins.git', {
    name: 'fixture-repository',
    environment: 'coin-two',
  });
  execFileSync('git', ['update-server-info'], { cwd: repository });
  const basic = `Basic ${Buffer.from(`me:${SECRET}`).toString('base64')}`;
  const address = await serve((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const allowed = request.headers.authorization === basic || url.searchParams.get('signature') === SECRET;
    const file = join(folder, url.pathname);
    if (!allowed) response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    else if (!existsSync(file)) response.writeHead(404).end(`no file for me:${SECRET}`);
    else response.end(readFileSync(file));
  });
  return address.replace('http://', '').replace(/\/$/, '');
}

describe('a secret in the address of a plugin', { timeout: 180_000 }, () => {
  it.each([
    ['a password of a tarball', (host: string) => `http://me:${SECRET}@${host}/fixture-secret-1.0.0.tgz`],
    [
      'a signature of a tarball',
      (host: string) => `http://${host}/fixture-secret-1.0.0.tgz?expires=1&signature=${SECRET}`,
    ],
    ['a password of a repository', (host: string) => `git+http://me:${SECRET}@${host}/coins.git#v1.0.0`],
  ])('%s is used, and is neither shown nor kept', async (_what, addressAt) => {
    const user = newUser();
    const installed = await user.run('plugins', 'install', addressAt(await secretServer()), '--json');
    expect(installed.code, said(installed)).toBe(0);
    const { name } = documentOf(installed) as { name: string };
    expect(documentOf(installed)['source']).toContain('***');
    const shown = [
      installed,
      await user.run('plugins', '--json'),
      await user.run('plugins', 'inspect', name, '--json'),
    ];
    expect(shown.map(said).join('\n')).not.toContain(SECRET);
    expect(filesWithSecret(user.home)).toEqual([]);
    const updated = documentOf(await user.run('plugins', 'update', '--json'))['plugins'];
    expect(updated).toMatchObject([{ name, skipped: expect.stringContaining('secret') as string }]);
  });

  it.each([
    ['a missing tarball', (host: string) => `http://me:${SECRET}@${host}/none.tgz`],
    ['a missing signed tarball', (host: string) => `http://${host}/none.tgz?signature=${SECRET}`],
    ['a missing repository', (host: string) => `http://me:${SECRET}@${host}/none.git`],
    ['a missing branch', (host: string) => `git+http://me:${SECRET}@${host}/coins.git#none`],
    ['a missing version', (host: string) => `git+http://me:${SECRET}@${host}/coins.git#semver:^9`],
    ['a refused token', (host: string) => `http://${SECRET}@${host}/none.tgz`],
    ['a refused token of a repository', (host: string) => `git+http://${SECRET}@${host}/coins.git`],
    ['nobody who listens', () => `http://me:${SECRET}@127.0.0.1:9/x.tgz`],
    ['an ssh server that is away', () => `git+ssh://me:${SECRET}@127.0.0.1:9/x.git`],
    ['an address without slashes', () => `me:${SECRET}@127.0.0.1/x`],
    ['an address with one slash', () => `http:/me:${SECRET}@127.0.0.1/x`],
    ['a file of another host', () => `file://me:${SECRET}@127.0.0.1/x`],
  ])('is not in the error about %s', async (_what, addressAt) => {
    const user = newUser();
    const address = addressAt(await secretServer());
    // Under `--json`, the lines for people are on standard error.
    const failed = await user.run('plugins', 'install', address, '--json');
    expect(failed.code, said(failed)).toBe(2);
    expect(said(failed)).not.toContain(SECRET);
    expect(filesWithSecret(user.home)).toEqual([]);
  });

  it.each(['link', 'uninstall', 'inspect', 'update', 'check'])(
    'is not in an error of `plugins %s`',
    async (command) => {
      const failed = await newUser().run('plugins', command, `http://me:${SECRET}@127.0.0.1:9/x.tgz`);
      expect(failed.code).toBe(2);
      expect(said(failed)).not.toContain(SECRET);
    },
  );

  it('of a registry is in no list, no answer and no file', async () => {
    const tarball = readFileSync(await packFixture(newFolder(), { name: 'fixture-secret' }));
    const address = await serve((request, response) => {
      const { url = '', headers } = request;
      if (headers.authorization === undefined) response.writeHead(401).end(JSON.stringify({ error: 'who?' }));
      else if (url.endsWith('.tgz')) response.end(tarball);
      else if (url.startsWith('/fixture-secret')) {
        const own = { name: 'fixture-secret', version: '1.0.0' };
        const dist = { tarball: `${withLogin}fixture-secret.tgz`, integrity: `sha512-${hashOf(tarball)}` };
        response.end(
          JSON.stringify({ ...own, 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': { ...own, dist } } }),
        );
      } else if (url.startsWith('/@agentgym')) response.writeHead(404).end('{}');
      else response.writeHead(403).end(JSON.stringify({ error: `no access with ${SECRET} and npm-token-of-me` }));
    });
    const withLogin = address.replace('http://', `http://me:${SECRET}@`);
    const user = newUser({ AGENTGYM_NPM_REGISTRY: withLogin });
    const refused = await user.run('plugins', 'install', '@scope/nothing', '--json');
    expect(documentOf(refused)['error']).toMatchObject({
      message: expect.stringContaining('no access with ***') as string,
    });
    const installed = await user.run('plugins', 'install', 'fixture-secret', '--json');
    expect(installed.code, said(installed)).toBe(0);
    const inspected = await user.run('plugins', 'inspect', 'fixture-secret', '--json');
    expect(said(refused) + said(installed) + said(inspected)).not.toContain(SECRET);
    expect(filesWithSecret(user.data)).toEqual([]);

    const token = `${address.replace('http:', '')}:_authToken=npm-token-of-me\n`;
    const other = newUser({ AGENTGYM_NPM_REGISTRY: address });
    writeFileSync(join(other.home, '.npmrc'), token);
    expect(said(await other.run('plugins', 'install', '@scope/nothing', '--json'))).not.toContain('npm-token-of-me');
  });
});
