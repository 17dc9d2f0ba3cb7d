import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { AgentgymError } from '../../errors/agentgym-error.js';
import { refusePackageName } from './check-package.js';
import { fetchRepository } from './fetch-repository.js';
import type { PluginSpecifier } from './parse-specifier.js';
import { runNpm, type NpmSettings } from './run-npm.js';

/** A plugin from elsewhere than the registry, as a tarball inside a generation. */
export interface PackedPlugin {
  readonly name: string;
  readonly version: string;
  /** For the generation's package.json; inside of it, so that nothing breaks when the original goes away. */
  readonly dependency: string;
  /** Where it came from, as it can be installed again. */
  readonly url: string;
  readonly commit?: string;
}

interface PackReport {
  readonly name: string;
  readonly version: string;
  readonly filename: string;
  readonly shasum: string;
}

/**
 * Packs a folder, a tarball, a web address or a repository into `packages/` of a generation, as publishing would,
 * without running scripts. So its name is known before it is installed, its dependencies are installed like any
 * other's, and two of one file name do not meet.
 */
export async function packPlugin(
  specifier: Exclude<PluginSpecifier, { type: 'registry' }>,
  generation: string,
  settings: NpmSettings,
): Promise<PackedPlugin> {
  const packages = join(generation, 'packages');
  await mkdir(packages, { recursive: true });
  const work = await mkdtemp(join(generation, 'packing-'));
  try {
    const source = await sourceOf(specifier, work, settings);
    const destination = await mkdtemp(join(work, 'tarball-'));
    // Packing fetches what the user named and nothing else; npm does not count it as named by the folder's
    // package.json.
    const allowed = ['--allow-file=all', '--allow-directory=all', '--allow-remote=all'];
    const args = ['pack', source.path, `--pack-destination=${destination}`, ...allowed];
    const { document } = await runNpm(args, work, settings);
    const [packed] = document as readonly PackReport[];
    if (packed === undefined) {
      throw new AgentgymError('AG_PLUGIN_INSTALL_FAILED', { message: `npm could not pack ${source.url}` });
    }
    const { name, version } = packed;
    refusePackageName(name, source.url);
    // The content is part of the name: npm takes the same name for the same content.
    const file = `${basename(packed.filename, '.tgz')}-${packed.shasum.slice(0, 12)}.tgz`;
    await rename(join(destination, packed.filename), join(packages, file));
    return {
      name,
      version,
      dependency: `file:packages/${file}`,
      url: source.url,
      ...(source.commit && { commit: source.commit }),
    };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function sourceOf(
  specifier: Exclude<PluginSpecifier, { type: 'registry' }>,
  work: string,
  { signal }: NpmSettings,
): Promise<{ path: string; url: string; commit?: string }> {
  if (specifier.type === 'url') return { path: specifier.url, url: specifier.url };
  if (specifier.type !== 'repository') return { path: specifier.path, url: pathToFileURL(specifier.path).href };
  const path = await mkdtemp(join(work, 'repository-'));
  const { url, reference } = specifier;
  const commit = await fetchRepository(url, reference, path, signal);
  const full = /^[\w.-]+@[\w.-]+:/.test(url) || url.startsWith('git:') ? url : `git+${url}`;
  return { path, url: `${full}${reference && `#${reference}`}`, commit };
}
