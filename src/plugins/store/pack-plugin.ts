import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { AgentgymError } from '../../errors/agentgym-error.js';
import { hideSecrets, secretsOf } from '../../errors/hide-secrets.js';
import { openRegularFile } from '../../files/open-regular-file.js';
import { refusePackageName } from './check-package.js';
import { fetchRepository } from './fetch-repository.js';
import type { PluginSpecifier } from './parse-specifier.js';
import { runNpm, type NpmSettings } from './run-npm.js';

/** A plugin from outside the registry, as a tarball inside a generation. */
export interface PackedPlugin {
  readonly name: string;
  readonly version: string;
  /** Entry for the generation's package.json. The tarball is inside the generation, so the original may disappear. */
  readonly dependency: string;
  /** Its origin, in a form that can be installed again, unless `hideSecrets` hid a secret in it. */
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
 * Packs a folder, a tarball, a web address or a repository into `packages/` of a generation, as for publishing, but
 * without running scripts. So its name is known before it is installed, its dependencies are installed as usual, and
 * tarballs with the same file name do not conflict.
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
    // Packing fetches only what the user named. npm needs these flags, because the folder's package.json does not name
    // it.
    const allowed = ['--allow-file=all', '--allow-directory=all', '--allow-remote=all'];
    // npm's cache would keep the address with its secrets.
    const cache = secretsOf(source.path).length > 0 ? [`--cache=${join(work, 'cache')}`] : [];
    const args = ['pack', source.path, `--pack-destination=${destination}`, ...allowed, ...cache];
    const { document } = await runNpm(args, work, settings);
    const [packed] = document as readonly PackReport[];
    if (packed === undefined) {
      throw new AgentgymError('AG_PLUGIN_INSTALL_FAILED', { message: `npm could not pack ${source.url}` });
    }
    const { name, version } = packed;
    refusePackageName(name, source.url);
    // The file name contains a hash of the content, because npm assumes the same content for the same name.
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
  if (specifier.type === 'url') return { path: specifier.url, url: hideSecrets(specifier.url) };
  if (specifier.type !== 'repository') {
    const { path, type } = specifier;
    const read = type === 'tarball' ? path : join(path, 'package.json');
    // npm would wait for a writer of a pipe. What is missing, npm names.
    if (existsSync(read)) await (await openRegularFile(read)).close();
    return { path, url: pathToFileURL(path).href };
  }
  const path = await mkdtemp(join(work, 'repository-'));
  const { url, reference } = specifier;
  const commit = await fetchRepository(url, reference, path, signal);
  const full = /^[\w.-]+@[\w.-]+:/.test(url) || url.startsWith('git:') ? url : `git+${url}`;
  return { path, url: hideSecrets(`${full}${reference && `#${reference}`}`), commit };
}
