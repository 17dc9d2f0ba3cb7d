import { existsSync } from 'node:fs';

import { AgentgymError } from '../../errors/agentgym-error.js';
import { HIDDEN } from '../../errors/hide-secrets.js';
import { acceptPlugin } from './accept-plugin.js';
import { readPackage } from './check-package.js';
import { findStoredPlugin } from './find-stored-plugin.js';
import { findInstallScripts, newScripts, runInstallScripts } from './install-scripts.js';
import { moveTo, type InstallOptions } from './install-plugin.js';
import { parseSpecifier, type PluginSpecifier } from './parse-specifier.js';
import { addPlugin } from './plugin-generation.js';
import { changePlugins, packageFolder, type PluginStore, type StoredPlugin } from './plugin-store.js';

export interface PluginUpdateOptions extends Omit<InstallOptions, 'specifier'> {
  /** Empty: all installed plugins. */
  readonly names: readonly string[];
}

/** The result of an update for one plugin. */
export interface UpdatedPlugin {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  /** New commit of a repository, if it changed. */
  readonly commit?: string;
  /** Why it was not updated. */
  readonly skipped?: string;
}

/**
 * Updates plugins to the newest version of the tag or range, to the head of the branch, or to the current content of
 * their folder or tarball. It updates all of them, or none if one is refused. Links always use the current content of
 * their folder.
 */
export function updatePlugins(store: PluginStore, options: PluginUpdateOptions): Promise<readonly UpdatedPlugin[]> {
  return changePlugins(store, async ({ plugins, stage }) => {
    const named = options.names.map((name) =>
      findStoredPlugin(plugins, name, { cwd: options.cwd, builtIn: store.host.plugins }),
    );
    const chosen = options.names.length > 0 ? named : plugins.filter((plugin) => plugin.type === 'user');
    if (chosen.length === 0) return { result: [] };
    const generation = await stage();
    const scripts = await findInstallScripts(generation);
    const results: UpdatedPlugin[] = [];
    let list = moveTo(store, generation, plugins);
    for (const plugin of chosen) {
      const from = await versionOf(plugin);
      const specifier = specifierOf(plugin);
      if (typeof specifier === 'string') {
        results.push({ name: plugin.name, from, to: from, skipped: specifier });
        continue;
      }
      const { stored } = await addPlugin(store, generation, specifier);
      if (stored.name !== plugin.name) throw renamed(plugin, stored.name);
      const updated = { ...stored, root: packageFolder(generation, stored.name) };
      list = list.map((item) => (item.name === plugin.name ? updated : item));
      const to = await versionOf(updated);
      const moved = stored.commit !== undefined && stored.commit !== plugin.commit;
      results.push({ name: plugin.name, from, to, ...(moved && { commit: stored.commit }) });
    }
    const wanted = newScripts(scripts, await findInstallScripts(generation));
    if (wanted.length > 0 && (await options.allowScripts(wanted))) await runInstallScripts(wanted, generation, store);
    for (const { name, skipped } of results) {
      if (skipped !== undefined) continue;
      const { claimed } = options;
      const settings = { name, hostVersion: store.host.version, signal: store.signal, claimed };
      await acceptPlugin(packageFolder(generation, name), settings);
    }
    return { plugins: list, result: results };
  });
}

function renamed({ name, url = '' }: StoredPlugin, now: string): AgentgymError {
  return new AgentgymError('AG_PLUGIN_REFUSED', {
    message: `${name} is not updated: the package at ${url} is now called ${now}`,
    hint: `To change to it, uninstall ${name}, and install it from there again.`,
  });
}

/** The source of a plugin's update, or why it is not updated. */
function specifierOf({ type, name, tag, url }: StoredPlugin): PluginSpecifier | string {
  if (type === 'link') return 'it is linked and always uses the code in its folder';
  if (url === undefined) return { type: 'registry', names: [name], range: tag ?? 'latest' };
  if (url.includes(HIDDEN)) {
    return 'its address had a secret, which is not kept; `agentgym plugins install` with the whole address updates it';
  }
  if (url.startsWith('file:') && !existsSync(new URL(url))) return `${url} no longer exists`;
  return parseSpecifier(url, '/');
}

async function versionOf({ root }: StoredPlugin): Promise<string> {
  if (root === undefined) return 'unknown';
  return readPackage(root).then(
    ({ version }) => version,
    () => 'unknown',
  );
}
