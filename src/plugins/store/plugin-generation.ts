import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { nearestName } from '../../config/nearest-name.js';
import { AgentgymError } from '../../errors/agentgym-error.js';
import { hideSecrets } from '../../errors/hide-secrets.js';
import { HOST } from '../inspect-package.js';
import { describeNpmFailure, isMissing, isUnreachable } from './describe-npm-failure.js';
import { packPlugin } from './pack-plugin.js';
import { friendlyName, type PluginSpecifier } from './parse-specifier.js';
import type { PluginStore, StoredPlugin } from './plugin-store.js';
import { runNpm } from './run-npm.js';

/** The result of adding a plugin to a generation. */
export interface AddedPlugin {
  readonly stored: Omit<StoredPlugin, 'root'>;
  /** True if the registry was not reachable, and the plugin came from npm's cache. */
  readonly fromCache: boolean;
}

interface GenerationPackage {
  private?: boolean;
  dependencies?: Record<string, string>;
  overrides?: Record<string, string>;
}

const STAND_IN = `throw new Error('a plugin may import only types of ${HOST}; it gets everything else from its arguments');\n`;

/**
 * Adds a plugin and its dependencies to a generation; none of its code runs. Without a network npm's cache is used.
 *
 * @throws AgentgymError AG_PLUGIN_NOT_FOUND, AG_PLUGIN_UNREACHABLE, AG_PLUGIN_INSTALL_FAILED, AG_PLUGIN_REFUSED
 */
export async function addPlugin(store: PluginStore, generation: string, from: PluginSpecifier): Promise<AddedPlugin> {
  await standInForHost(generation, store.host.version);
  if (from.type !== 'registry') {
    const { name, dependency, url, commit } = await packed(store, generation, from);
    await editPackage(generation, (json) => ((json.dependencies ??= {})[name] = dependency));
    const fromCache = await install(store, generation, [], url);
    return { stored: { name, type: 'user', url, ...(commit !== undefined && { commit }) }, fromCache };
  }
  let unreachable: unknown;
  for (const name of from.names) {
    try {
      const args = ['--save-exact', `${name}@${from.range}`];
      const fromCache = await install(store, generation, args, name, unreachable);
      return { stored: { name, type: 'user', tag: from.range }, fromCache };
    } catch (error) {
      if (isUnreachable((error as Error).cause)) unreachable ??= error;
      else if (!isMissing((error as Error).cause, name)) throw error;
    }
  }
  if (unreachable !== undefined) throw unreachable as Error;
  throw unknownPackage(store, from.names);
}

/** Removes a plugin from a generation, without a network. If npm cannot clean up now, it does so at the next change. */
export async function removePlugin(store: PluginStore, generation: string, name: string): Promise<void> {
  await standInForHost(generation, store.host.version);
  await editPackage(generation, (json) => delete json.dependencies?.[name]);
  await runNpm(['install', '--omit=dev', '--offline'], generation, store).catch(() => store.signal.throwIfAborted());
}

function unknownPackage(store: PluginStore, names: readonly string[]): AgentgymError {
  const asked = names.at(-1) ?? '';
  const near = nearestName(asked, store.host.plugins.map(friendlyName));
  return new AgentgymError('AG_PLUGIN_NOT_FOUND', {
    message: `the registry has no package ${names.join(' and no ')}`,
    hint:
      near === undefined
        ? `Check the name; write a folder as ./${asked}.`
        : `Did you mean \`${near}\`, which is part of agentgym?`,
  });
}

/**
 * Writes a package with the host's name and version, and makes every dependency on the host use it. npm installs peers,
 * and would otherwise fetch a second host with all its dependencies.
 */
async function standInForHost(generation: string, version: string): Promise<void> {
  const folder = join(generation, 'host');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: HOST, version, main: 'index.cjs' }));
  await writeFile(join(folder, 'index.cjs'), STAND_IN);
  await editPackage(generation, (json) => {
    json.dependencies = { ...json.dependencies, [HOST]: 'file:host' };
    json.overrides = { [HOST]: `$${HOST}` };
  });
}

async function editPackage(generation: string, edit: (json: GenerationPackage) => unknown): Promise<void> {
  const file = join(generation, 'package.json');
  const json = (existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : { private: true }) as GenerationPackage;
  edit(json);
  await writeFile(file, `${JSON.stringify(json, null, 2)}\n`);
}

/**
 * Returns true if the package came from npm's cache because the registry was not reachable.
 *
 * @param unreachable an earlier failure, because of which the registry is not tried
 */
async function install(
  store: PluginStore,
  generation: string,
  what: readonly string[],
  shown: string,
  unreachable?: unknown,
): Promise<boolean> {
  const args = ['install', '--omit=dev', ...what];
  const fromCache = () => {
    store.note(`The registry cannot be reached: ${shown} comes from npm's cache and may not be the newest version.`);
    return true;
  };
  let failure = unreachable;
  if (failure === undefined) {
    try {
      return (await runNpm(args, generation, store)).stale && fromCache();
    } catch (error) {
      failure = describeNpmFailure(error, shown);
      if (!isUnreachable(error)) throw failure;
    }
  }
  try {
    await runNpm([...args, '--offline'], generation, store);
  } catch (error) {
    store.signal.throwIfAborted();
    // The first failure says more than "not in the cache".
    throw isUnreachable(error) ? failure : describeNpmFailure(error, shown);
  }
  return fromCache();
}

function packed(store: PluginStore, generation: string, from: Exclude<PluginSpecifier, { type: 'registry' }>) {
  return packPlugin(from, generation, store).catch((error: unknown) => {
    throw describeNpmFailure(error, hideSecrets('url' in from ? from.url : from.path));
  });
}
