import type { Config } from '@oclif/core';

import { contributionKinds } from '../plugins/check-contributions.js';
import type { PluginHost } from '../plugins/open-plugin-host.js';
import type { ClaimedName } from '../plugins/store/accept-plugin.js';
import type { PluginStore } from '../plugins/store/plugin-store.js';

/** The plugins of the CLI that runs. */
export function pluginStoreOf(config: Config, signal: AbortSignal, note: (line: string) => void): PluginStore {
  const { dataDir, root, version, npmRegistry, pjson } = config;
  const plugins = (pjson.oclif.plugins ?? []).filter((name) => name.startsWith('@agentgym/'));
  const registry = npmRegistry === undefined ? {} : { registry: npmRegistry };
  return { dataDirectory: dataDir, host: { root, version, plugins }, ...registry, signal, note };
}

/** The names that all plugins in use contribute. */
export async function claimedNames(host: PluginHost): Promise<readonly ClaimedName[]> {
  return (await Promise.all(contributionKinds.map((kind) => host.contributions(kind)))).flat();
}
