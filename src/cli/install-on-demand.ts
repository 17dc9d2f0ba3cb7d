import { Config } from '@oclif/core';

import { allContributions, type PluginHost } from '../plugins/open-plugin-host.js';
import { installPlugin } from '../plugins/store/install-plugin.js';
import { pluginStoreOf } from './plugin-store-of.js';

export interface OnDemandSettings {
  readonly config: Config;
  /** The plugins that are in use so far. */
  readonly host: PluginHost;
  readonly signal: AbortSignal;
  readonly note: (line: string) => void;
}

/**
 * Installs a plugin during another command, reports it, and returns the configuration with all plugins that are then
 * installed. Its install scripts do not run.
 */
export async function installOnDemand(name: string, { config, host, signal, note }: OnDemandSettings): Promise<Config> {
  note(`${name} is not installed: installing it.`);
  const installed = await installPlugin(pluginStoreOf(config, signal, note), {
    specifier: name,
    cwd: process.cwd(),
    claimed: () => allContributions(host),
    allowScripts: (scripts) => {
      for (const { package: other, version, commands } of scripts) {
        note(
          `${other} ${version} has install scripts, which were not run: ${commands.join('; ')}. \`agentgym plugins install ${name} --allow-scripts\` runs them.`,
        );
      }
      return Promise.resolve(false);
    },
  });
  note(`Installed ${installed.name} ${installed.version}.`);
  // The command's config options contain the plugins found at the start. Without them, plugins are searched again.
  const { plugins: _, ...options } = config.options;
  return Config.load(options);
}
