import { findStoredPlugin } from './find-stored-plugin.js';
import { moveTo } from './install-plugin.js';
import { removePlugin } from './plugin-generation.js';
import { changePlugins, generationOf, type PluginStore, type StoredPlugin } from './plugin-store.js';

export interface UninstallOptions {
  /** A name, a friendly name, or the folder of a link. */
  readonly name: string;
  readonly cwd: string;
}

/**
 * Removes a plugin without a network. A link is removed even if its folder no longer exists.
 *
 * @throws AgentgymError AG_PLUGIN_NOT_INSTALLED
 */
export function uninstallPlugin(store: PluginStore, options: UninstallOptions): Promise<StoredPlugin> {
  return changePlugins(store, async ({ plugins, stage }) => {
    const removed = findStoredPlugin(plugins, options.name, { cwd: options.cwd, builtIn: store.host.plugins });
    const kept = plugins.filter((plugin) => plugin !== removed);
    const generated = (plugin: StoredPlugin) => generationOf(store.dataDirectory, plugin) !== undefined;
    // Without other installed plugins, no new generation is needed: the whole old one becomes unused.
    if (!generated(removed) || !kept.some(generated)) return { plugins: kept, result: removed };
    const generation = await stage();
    await removePlugin(store, generation, removed.name);
    return { plugins: moveTo(store, generation, kept), result: removed };
  });
}

/** Removes every plugin that was installed or linked. */
export function resetPlugins(store: PluginStore): Promise<readonly StoredPlugin[]> {
  return changePlugins(store, ({ plugins }) => Promise.resolve({ plugins: [], result: plugins }));
}
