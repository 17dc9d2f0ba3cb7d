import type { Config } from '@oclif/core';

import { requiredBy } from '../plugins/required-by.js';
import { allContributions, type PluginHost } from '../plugins/open-plugin-host.js';
import { findStoredPlugin } from '../plugins/store/find-stored-plugin.js';
import { readPluginNeeds, readPluginOrigin } from '../plugins/store/inspect-plugin.js';
import { packageNames } from '../plugins/store/parse-specifier.js';
import { readStoredPlugins } from '../plugins/store/plugin-store.js';
import { listPlugins } from './list-plugins.js';

/**
 * All facts about one plugin.
 *
 * @throws AgentgymError AG_PLUGIN_NOT_INSTALLED
 */
export async function inspectPlugin(name: string, config: Config, host: PluginHost, signal: AbortSignal) {
  const stored = await readStoredPlugins(config.dataDir);
  const all = await listPlugins(config, process.cwd());
  const names = packageNames(name);
  const listed =
    all.find((plugin) => names.includes(plugin.name)) ??
    all.find((plugin) => plugin.name === findStoredPlugin(stored, name, { cwd: process.cwd(), builtIn: [] }).name);
  if (listed === undefined) throw new Error(`${name} is in one list of plugins and not in the other`);
  const origin = await readPluginOrigin(
    config.dataDir,
    stored.find((plugin) => plugin.name === listed.name),
  );
  const located = await allContributions(host);
  const own = located.filter((item) => item.package === listed.name);
  const requirements = (await Promise.all(own.map((item) => requiredBy(item, signal)))).flat();
  const contributions = own.map(({ kind, name: called, contribution }) => ({
    kind,
    name: called,
    summary: contribution.summary,
  }));
  const source = host.packages().find((item) => item.name === listed.name);
  const needs = source === undefined ? { dependencies: {}, peerRange: null } : await readPluginNeeds(source.root);
  const { apiVersion = null } = (source?.declaration ?? {}) as { apiVersion?: number };
  return { ...listed, ...origin, apiVersion, contributions, requirements, ...needs };
}

/** The facts as lines for the user. */
export function inspectionLines(plugin: Awaited<ReturnType<typeof inspectPlugin>>): string[] {
  const { name, version, type, source, root, commit, integrity, peerRange, apiVersion, problem } = plugin;
  const dependencies = Object.entries(plugin.dependencies).map(([other, range]) => `${other} ${range}`);
  const facts: readonly (readonly [string, string | null])[] = [
    ['type', type],
    ['source', source],
    ['commit', commit],
    ['integrity', integrity],
    ['folder', root],
    ['agentgym', `${peerRange ?? 'any version'}, plugin API ${apiVersion ?? '?'}`],
    ['depends on', dependencies.join(', ') || 'nothing'],
    ['problem', problem ?? null],
  ];
  return [
    `${name} ${version ?? ''}`,
    ...facts.flatMap(([label, value]) => (value === null ? [] : [`  ${label.padEnd(10)}  ${value}`])),
    ...plugin.requirements.map((finding) => {
      const { get, title } = finding.requirement;
      return 'problem' in finding
        ? `  ${'needs'.padEnd(10)}  ${title}, but ${finding.problem}. ${get}`
        : `  ${'needs'.padEnd(10)}  ${title}: ${finding.found.path}`;
    }),
    ...plugin.contributions.map(({ kind, name: own, summary }) => `  ${kind} ${own}: ${summary}`),
  ];
}
