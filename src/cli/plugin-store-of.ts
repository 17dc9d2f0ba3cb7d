import type { Config } from '@oclif/core';

import type { PluginStore } from '../plugins/store/plugin-store.js';

/** The plugin store of the running CLI. */
export function pluginStoreOf(config: Config, signal: AbortSignal, note: (line: string) => void): PluginStore {
  const { dataDir, root, version, npmRegistry, pjson } = config;
  const plugins = (pjson.oclif.plugins ?? []).filter((name) => name.startsWith('@agentgym/'));
  const registry = npmRegistry === undefined ? {} : { registry: npmRegistry };
  return { dataDirectory: dataDir, host: { root, version, plugins }, ...registry, signal, note };
}
