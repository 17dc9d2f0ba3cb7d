// Once for all test files under test/registry and test/templates: a registry with everything published, and a host installed from it.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import type { TestProject } from 'vitest/node';

import { startLocalRegistry } from './local-registry.js';
import { packWorkspace } from './packed-workspace.js';

/** What tests are handed, by `inject`. */
declare module 'vitest' {
  export interface ProvidedContext {
    readonly registry: {
      /** Ends with a slash. */
      readonly url: string;
      /** For child processes, over their parent's; see LocalRegistry. */
      readonly environment: Readonly<Record<string, string>>;
    };
    /** Tarballs of the host and all plugins. */
    readonly tarballs: readonly string[];
    /** The installed host: `node BIN ...` is what a user calls `agentgym ...`. */
    readonly installed: { readonly folder: string; readonly bin: string };
  }
}

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const [tarballs, registry] = await Promise.all([packWorkspace(), startLocalRegistry()]);
  const folder = await mkdtemp(join(tmpdir(), 'agentgym-installed-'));
  const tearDown = async () => {
    await registry.stop();
    await Promise.all(
      [folder, dirname(tarballs[0] ?? folder)].map((path) => rm(path, { recursive: true, force: true })),
    );
  };
  try {
    await registry.publishWorkspace();
    await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true }));
    const environment = { ...process.env, ...registry.environment };
    await promisify(execFile)('npm', ['install', '@agentgym/cli'], { cwd: folder, env: environment, timeout: 300_000 });
  } catch (error) {
    await tearDown();
    throw error;
  }
  const bin = join(folder, 'node_modules', '@agentgym', 'cli', 'bin', 'run.js');
  project.provide('registry', { url: registry.url, environment: registry.environment });
  project.provide('tarballs', tarballs);
  project.provide('installed', { folder, bin });
  return tearDown;
}
