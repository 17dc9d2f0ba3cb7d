import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';

import { AgentgymError } from '../../errors/agentgym-error.js';
import { messageOf } from '../../errors/message-of.js';
import { acceptPlugin, type AcceptanceSettings } from './accept-plugin.js';
import type { InstallScripts } from './install-scripts.js';
import { changePlugins, type PluginStore } from './plugin-store.js';
import type { ProbedContribution } from './probe-plugin.js';

export interface LinkOptions extends Pick<AcceptanceSettings, 'claimed'> {
  readonly folder: string;
}

/** A newly installed plugin. */
export interface InstalledPlugin {
  readonly name: string;
  readonly version: string;
  readonly type: 'user' | 'link';
  /** A tag, range, URL or folder. */
  readonly source: string;
  readonly contributions: readonly ProbedContribution[];
  readonly fromCache: boolean;
  readonly scripts: { readonly wanted: readonly InstallScripts[]; readonly ran: boolean };
}

/**
 * Links the plugin in a folder. Every new build in the folder is used without a new link. Needs neither npm nor a
 * network.
 *
 * @throws AgentgymError AG_PLUGIN_NOT_FOUND, AG_PLUGIN_REFUSED, AG_CONTRIBUTION_CONFLICT
 */
export async function linkPlugin(store: PluginStore, { folder, claimed }: LinkOptions): Promise<InstalledPlugin> {
  const root = await realpath(resolve(folder)).catch((error: unknown) => {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const message = missing
      ? `there is no folder ${resolve(folder)}`
      : `the folder ${resolve(folder)} cannot be opened: ${messageOf(error)}`;
    throw new AgentgymError('AG_PLUGIN_NOT_FOUND', { message, cause: error });
  });
  return changePlugins(store, async ({ plugins }) => {
    const { json, contributions } = await acceptPlugin(root, {
      hostVersion: store.host.version,
      signal: store.signal,
      claimed,
    });
    const kept = plugins.filter(
      (plugin) => plugin.name !== json.name && !(plugin.type === 'link' && plugin.root === root),
    );
    return {
      plugins: [...kept, { name: json.name, type: 'link', root }],
      result: {
        name: json.name,
        version: json.version,
        type: 'link' as const,
        source: root,
        contributions,
        fromCache: false,
        scripts: { wanted: [], ran: false },
      },
    };
  });
}
