import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

import { nearestName } from '../config/nearest-name.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { allContributions, type PluginHost } from '../plugins/open-plugin-host.js';
import type { PluginSource } from '../plugins/plugin-source.js';
import { friendlyName } from '../plugins/store/parse-specifier.js';

/**
 * The folder of a plugin. `what` is a folder, the name of an installed plugin (`env-textcraft` for short), or the name
 * of one of its contributions.
 *
 * @throws AgentgymError AG_PLUGIN_CHECK
 */
export async function locatePlugin(
  what: string,
  cwd: string,
  sources: readonly PluginSource[],
  openHost: () => Promise<PluginHost>,
): Promise<string> {
  const refuse = (message: string, hint: string) => new AgentgymError('AG_PLUGIN_CHECK', { message, hint });
  const folder = resolve(cwd, what);
  if (existsSync(folder) && statSync(folder).isDirectory()) return folder;
  if (/^[./~]|[\\]/.test(what) || existsSync(folder)) {
    const isFile = existsSync(folder);
    throw refuse(
      isFile ? `${folder} is a file, not the folder of a plugin` : `there is no folder ${folder}`,
      'Give the folder that contains the package.json of the plugin.',
    );
  }
  const named = sources.find(({ name }) => name === what || friendlyName(name) === what);
  if (named !== undefined) return named.root;
  const located = await allContributions(await openHost());
  const owners = [...new Set(located.filter(({ name }) => name === what).map((item) => item.package))];
  if (owners.length > 1)
    throw refuse(`${owners.join(' and ')} both contribute \`${what}\``, 'Give the name of the package.');
  const source = sources.find(({ name }) => name === owners[0]);
  if (source !== undefined) return source.root;
  const near = nearestName(what, [
    ...sources.map(({ name }) => friendlyName(name)),
    ...located.map(({ name }) => name),
  ]);
  throw refuse(
    `\`${what}\` is neither a folder nor an installed plugin`,
    near === undefined
      ? 'Give a folder, or the name of a plugin from `agentgym plugins`.'
      : `Did you mean \`${near}\`?`,
  );
}
