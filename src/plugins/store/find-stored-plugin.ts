import { resolve } from 'node:path';

import { nearestHint } from '../../config/nearest-name.js';
import { AgentgymError } from '../../errors/agentgym-error.js';
import { friendlyName, packageNames } from './parse-specifier.js';
import type { StoredPlugin } from './plugin-store.js';

/**
 * Finds an installed plugin by its name, its friendly name or the folder of a link.
 *
 * @param builtIn packages that come with the host
 * @throws AgentgymError AG_PLUGIN_NOT_INSTALLED
 */
export function findStoredPlugin(
  plugins: readonly StoredPlugin[],
  name: string,
  { cwd, builtIn }: { readonly cwd: string; readonly builtIn: readonly string[] },
): StoredPlugin {
  const called = packageNames(name);
  const found =
    plugins.find((plugin) => called.includes(plugin.name)) ??
    plugins.find((plugin) => plugin.type === 'link' && plugin.root === resolve(cwd, name));
  if (found !== undefined) return found;
  const own = builtIn.find((item) => called.includes(item));
  if (own !== undefined) {
    throw new AgentgymError('AG_PLUGIN_NOT_INSTALLED', {
      message: `${own} is part of agentgym: it is updated with agentgym and cannot be removed`,
    });
  }
  const installed = plugins.map((plugin) => friendlyName(plugin.name));
  const names = [...installed, ...plugins.map((plugin) => plugin.name)];
  throw new AgentgymError('AG_PLUGIN_NOT_INSTALLED', {
    message: `the plugin ${name} is not installed`,
    hint: nearestHint(name, names, `Installed: ${installed.join(', ') || 'none'}.`),
  });
}
