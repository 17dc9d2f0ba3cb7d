// Runs once for all test files under test/registry and test/templates: starts a registry with all packages, and
// installs a host from it for all users of the machine.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

import type { TestProject } from 'vitest/node';

import { addRuntimes, POLICY_WITH_RUNTIME } from '../../scripts/pack-release.js';
import { makeRuntimePackages } from '../../scripts/runtime-packages.js';
import { messageOf } from '../../src/errors/message-of.js';
import { repository } from '../architecture/source-files.js';
import { INSTALL_HOST } from './install-host.js';
import { startLocalRegistry, type LocalRegistry } from './local-registry.js';
import { packWorkspace } from './packed-workspace.js';
import { publishFolder, publishTarball } from './publish-tarball.js';

/** Values that tests get by `inject`. */
declare module 'vitest' {
  export interface ProvidedContext {
    readonly registry: {
      /** Ends with a slash. */
      readonly url: string;
      /** Replaces variables of child processes; see LocalRegistry. */
      readonly environment: Readonly<Record<string, string>>;
    };
    /** Tarballs of the host and all plugins. */
    readonly tarballs: readonly string[];
    /** The installed host: `node BIN ...` is what a user calls `agentgym ...`. */
    readonly installed: {
      readonly folder: string;
      readonly bin: string;
      /** The folder of the program `agentgym`, for a PATH. */
      readonly programs: string;
      /** A file that exists after the installation, successful or not. */
      readonly outcome: string;
    };
  }
}

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const [tarballs, registry] = await Promise.all([packWorkspace(), startLocalRegistry()]);
  const folder = await mkdtemp(join(tmpdir(), 'agentgym-installed-'));
  const outcome = join(folder, 'outcome.json');
  // Other tests run meanwhile; tests of this project wait for the installation (await-installation.ts).
  const done = install(registry, tarballs, folder).then(
    () => writeFile(outcome, JSON.stringify({})),
    (error: unknown) => writeFile(outcome, JSON.stringify({ error: messageOf(error) })),
  );
  const isWindows = process.platform === 'win32';
  const modules = join(folder, ...(isWindows ? [] : ['lib']), 'node_modules');
  const bin = join(modules, '@agentgym', 'cli', 'bin', 'run.js');
  const programs = isWindows ? folder : join(folder, 'bin');
  project.provide('registry', { url: registry.url, environment: registry.environment });
  project.provide('tarballs', tarballs);
  project.provide('installed', { folder, bin, programs, outcome });
  return async () => {
    await done;
    await registry.stop();
    await Promise.all(
      [folder, dirname(tarballs[0] ?? folder)].map((path) => rm(path, { recursive: true, force: true })),
    );
  };
}

async function install(registry: LocalRegistry, tarballs: readonly string[], folder: string): Promise<void> {
  await publishAll(registry, tarballs, folder);
  const environment = { ...process.env, ...registry.environment, npm_config_prefix: folder };
  await promisify(execFile)('npm', [...INSTALL_HOST], { cwd: folder, env: environment, timeout: 900_000 });
}

/**
 * Publishes the host and every plugin. As in a release, the policy has the native runtime of this machine among its
 * optional dependencies, if there is one. Otherwise it computes in WebAssembly, which
 * `test/packages/native-runtime.long.test.ts` tests everywhere.
 */
async function publishAll(registry: LocalRegistry, tarballs: readonly string[], folder: string): Promise<void> {
  const machine = `${process.platform}-${process.arch}`;
  const source = join(repository, 'node_modules', 'onnxruntime-node');
  const runtimes = await makeRuntimePackages(source, join(folder, 'runtime'), [machine]);
  const policy = tarballs.find((path) => basename(path).includes('policy-transformer'));
  if (policy === undefined) throw new Error(`${POLICY_WITH_RUNTIME} was not packed`);
  for (const runtime of runtimes) await publishFolder(registry.url, runtime.folder);
  const others = tarballs.filter((path) => path !== policy);
  for (const tarball of [(await addRuntimes(policy, runtimes)).tarball, ...others])
    await publishTarball(registry.url, tarball);
}
