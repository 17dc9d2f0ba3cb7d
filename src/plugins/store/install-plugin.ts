import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { AgentgymError } from '../../errors/agentgym-error.js';
import { readPackageJson } from '../read-package-json.js';
import { acceptPlugin, type AcceptanceSettings } from './accept-plugin.js';
import { findInstallScripts, newScripts, runInstallScripts, type InstallScripts } from './install-scripts.js';
import { linkPlugin, type InstalledPlugin } from './link-plugin.js';
import { friendlyName, parseSpecifier, type PluginSpecifier } from './parse-specifier.js';
import { addPlugin } from './plugin-generation.js';
import { changePlugins, generationOf, packageFolder, type PluginStore, type StoredPlugin } from './plugin-store.js';

export interface InstallOptions extends Pick<AcceptanceSettings, 'claimed'> {
  /** The argument of `plugins install`. */
  readonly specifier: string;
  readonly cwd: string;
  /** Whether these scripts may run. Called only if there are scripts. */
  readonly allowScripts: (scripts: readonly InstallScripts[]) => Promise<boolean>;
}

/**
 * Installs a plugin, or changes nothing. In a source checkout of agentgym, a friendly name means a folder of the
 * checkout, which is linked.
 *
 * @throws AgentgymError AG_PLUGIN_NOT_FOUND, AG_PLUGIN_UNREACHABLE, AG_PLUGIN_REFUSED, AG_PLUGIN_INSTALL_FAILED,
 * AG_CONTRIBUTION_CONFLICT
 */
export async function installPlugin(store: PluginStore, options: InstallOptions): Promise<InstalledPlugin> {
  const specifier = parseSpecifier(options.specifier, options.cwd);
  const checkout = await folderOfCheckout(store.host.root, specifier);
  if (checkout !== undefined) return linkPlugin(store, { folder: checkout, claimed: options.claimed });
  return changePlugins(store, async ({ plugins, stage }) => {
    const generation = await stage();
    const before = await findInstallScripts(generation);
    const { stored, fromCache } = await addPlugin(store, generation, specifier);
    refuseBuiltInName(store, specifier, stored.name);
    const root = packageFolder(generation, stored.name);
    const wanted = newScripts(before, await findInstallScripts(generation));
    let ran = false;
    const { json, contributions } = await acceptPlugin(root, {
      name: stored.name,
      hostVersion: store.host.version,
      signal: store.signal,
      claimed: options.claimed,
      prepare: async () => {
        ran = wanted.length > 0 && (await options.allowScripts(wanted));
        if (ran) await runInstallScripts(wanted, generation, store);
      },
    });
    const kept = plugins.filter((plugin) => plugin.name !== stored.name);
    return {
      plugins: [...moveTo(store, generation, kept), { ...stored, root }],
      result: {
        name: json.name,
        version: json.version,
        type: 'user' as const,
        source: stored.url ?? stored.tag ?? 'latest',
        contributions,
        fromCache,
        scripts: { wanted, ran },
      },
    };
  });
}

/**
 * Refuses a package from elsewhere that has the name of a built-in plugin: it would replace that plugin in every recipe.
 * From the registry, such a name is what the user typed.
 */
function refuseBuiltInName({ host }: PluginStore, from: PluginSpecifier, name: string): void {
  if (from.type === 'registry' || !host.plugins.includes(name)) return;
  throw new AgentgymError('AG_PLUGIN_REFUSED', {
    message: `the package is refused: its name ${name} is that of a plugin that comes with agentgym, which it would replace`,
    hint: 'Give it another name in its package.json. For your own version of that plugin, use `agentgym plugins link DIR`.',
  });
}

/** The list with every plugin of a generation moved to its folder in another generation. */
export function moveTo(
  store: PluginStore,
  generation: string,
  plugins: readonly StoredPlugin[],
): readonly StoredPlugin[] {
  return plugins.map((plugin) =>
    generationOf(store.dataDirectory, plugin) === undefined
      ? plugin
      : { ...plugin, root: packageFolder(generation, plugin.name) },
  );
}

async function folderOfCheckout(hostRoot: string, from: PluginSpecifier): Promise<string | undefined> {
  if (from.type !== 'registry' || from.range !== 'latest') return undefined;
  const [name = ''] = from.names;
  const folder = join(hostRoot, 'plugins', friendlyName(name));
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return undefined;
  return ((await readPackageJson(folder)) as { name?: string }).name === name ? folder : undefined;
}
