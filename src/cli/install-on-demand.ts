import { Config } from '@oclif/core';

import { allContributions, type PluginHost } from '../plugins/open-plugin-host.js';
import { installPlugin } from '../plugins/store/install-plugin.js';
import { pluginStoreOf } from './plugin-store-of.js';

export interface OnDemandSettings {
  readonly config: Config;
  /** What is in use so far. */
  readonly host: PluginHost;
  readonly signal: AbortSignal;
  readonly note: (line: string) => void;
}

/**
 * Installs a plugin in the middle of another command, says so, and gives the configuration with all that is installed
 * then. Its install scripts do not run.
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
          `${other} ${version} wants to run ${commands.join('; ')}: not run. \`agentgym plugins install ${name} --allow-scripts\` runs it.`,
        );
      }
      return Promise.resolve(false);
    },
  });
  note(`Installed ${installed.name} ${installed.version}.`);
  // Options of a command's config carry the plugins that were found at the start: without them they are looked for
  // again.
  const { plugins: _, ...options } = config.options;
  return Config.load(options);
}
