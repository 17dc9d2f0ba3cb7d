// Checks the result of `changeset version` on a copy of the packages' manifests.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, describe, expect, it } from 'vitest';

import { libraryFolders, pluginFolders, repository } from '../architecture/source-files.js';

const run = promisify(execFile);
const changeset = join(repository, 'node_modules', '@changesets', 'cli', 'bin.js');
const OPTION = 'onlyUpdatePeerDependentsWhenOutOfRange';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const made: string[] = [];
afterAll(async () => {
  for (const folder of made) await rm(folder, { recursive: true, force: true });
});

/** Manifests by name, after a release with the given changes. */
async function versioned(
  changes: Readonly<Record<string, string>>,
  config: object = {},
): Promise<Map<string, Manifest>> {
  const folder = await mkdtemp(join(tmpdir(), 'agentgym-versions-'));
  made.push(folder);
  const folders = ['.', ...libraryFolders(), ...pluginFolders()];
  for (const name of folders) {
    mkdirSync(join(folder, name), { recursive: true });
    cpSync(join(repository, name, 'package.json'), join(folder, name, 'package.json'));
  }
  mkdirSync(join(folder, '.changeset'));
  const settings = JSON.parse(readFileSync(join(repository, '.changeset', 'config.json'), 'utf8')) as object;
  writeFileSync(join(folder, '.changeset', 'config.json'), JSON.stringify({ ...settings, ...config }));
  const lines = Object.entries(changes).map(([name, kind]) => `'${name}': ${kind}`);
  writeFileSync(join(folder, '.changeset', 'change.md'), `---\n${lines.join('\n')}\n---\n\nA change.\n`);
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'), 'junction');
  const git = ['-c', 'user.name=test', '-c', 'user.email=test@localhost', '-c', 'init.defaultBranch=main'];
  writeFileSync(join(folder, '.gitignore'), 'node_modules\n');
  await run('git', [...git, 'init', '--quiet'], { cwd: folder });
  await run('git', [...git, 'add', '.'], { cwd: folder });
  await run('git', [...git, 'commit', '--quiet', '--no-gpg-sign', '-m', 'start'], { cwd: folder });
  await run(process.execPath, [changeset, 'version'], { cwd: folder });
  expect(readdirSync(join(folder, '.changeset'))).not.toContain('change.md');
  const manifests = folders.map(
    (name) => JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8')) as Manifest,
  );
  return new Map(manifests.map((manifest) => [manifest.name, manifest]));
}

/** The host must pin each plugin to its version in the workspace. */
function expectConsistent(manifests: ReadonlyMap<string, Manifest>): void {
  const host = manifests.get('@agentgym/cli')!;
  const pinned = Object.entries(host.dependencies ?? {}).filter(([name]) => name.startsWith('@agentgym/'));
  expect(pinned.length).toBeGreaterThan(10);
  for (const [name, version] of pinned) expect([name, version]).toEqual([name, manifests.get(name)?.version]);
  for (const { name, peerDependencies } of manifests.values()) {
    if (name !== host.name) expect(peerDependencies?.[host.name], name).toBe('>=0.1.0 <2');
  }
}

describe('a release', () => {
  // Goes red without `onlyUpdatePeerDependentsWhenOutOfRange` in .changeset/config.json: see the last test.
  it('of a minor version of the host leaves every plugin as it is', async () => {
    const manifests = await versioned({ '@agentgym/cli': 'minor' });
    expect(manifests.get('@agentgym/cli')?.version).toBe('0.2.0');
    for (const { name, version } of manifests.values())
      if (name !== '@agentgym/cli') expect([name, version]).toEqual([name, '0.1.0']);
    expectConsistent(manifests);
  }, 60_000);

  it('of a plugin takes the host along, which pins it', async () => {
    const manifests = await versioned({ '@agentgym/plugin-algo-grpo': 'minor' });
    expect(manifests.get('@agentgym/plugin-algo-grpo')?.version).toBe('0.2.0');
    expect(manifests.get('@agentgym/cli')?.version).toBe('0.1.1');
    expect(manifests.get('@agentgym/plugin-algo-ppo')?.version).toBe('0.1.0');
    expectConsistent(manifests);
  }, 60_000);

  it('of what plugins share takes those that pin it along, and the host', async () => {
    const manifests = await versioned({ '@agentgym/world-kit': 'minor' });
    const textcraft = manifests.get('@agentgym/plugin-env-textcraft')!;
    expect([textcraft.version, textcraft.dependencies?.['@agentgym/world-kit']]).toEqual(['0.1.1', '0.2.0']);
    expect(manifests.get('@agentgym/cli')?.version).toBe('0.1.1');
    expect(manifests.get('@agentgym/plugin-algo-ppo')?.version).toBe('0.1.0');
    expectConsistent(manifests);
  }, 60_000);

  it('would be 1.0.0 of every plugin, without the option that is set', async () => {
    const manifests = await versioned(
      { '@agentgym/cli': 'minor' },
      { ___experimentalUnsafeOptions_WILL_CHANGE_IN_PATCH: { [OPTION]: false } },
    );
    expect(manifests.get('@agentgym/plugin-algo-ppo')?.version).toBe('1.0.0');
  }, 60_000);
});
