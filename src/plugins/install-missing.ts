import type { ContributionKind } from '../contracts/plugin.js';
import { isAgentgymError } from '../errors/agentgym-error.js';
import { friendlyPackage, type PluginHost } from './open-plugin-host.js';

/**
 * A host that installs missing contributions once and then looks them up again.
 *
 * @param install installs the package of a friendly name, such as `env-babyai`, and returns the host with the new
 * package
 */
export function installMissing(host: PluginHost, install: (name: string) => Promise<PluginHost>): PluginHost {
  let current = host;
  const tried = new Set<string>();
  return {
    contributions: (kind) => current.contributions(kind),
    load: (located) => current.load(located),
    problems: () => current.problems(),
    packages: () => current.packages(),
    async find<Kind extends ContributionKind>(kind: Kind, name: string) {
      const missing = friendlyPackage(kind, name);
      try {
        return await current.find(kind, name);
      } catch (error) {
        const unknown = isAgentgymError(error) && error.code === 'AG_CONTRIBUTION_UNKNOWN';
        if (!unknown || missing === undefined || tried.has(missing)) throw error;
        tried.add(missing);
        current = await install(missing);
        return current.find(kind, name);
      }
    },
  };
}
