import { existsSync } from 'node:fs';

import type { Config } from '@oclif/core';

import { byName } from '../plugins/plugin-source.js';
import { installedPlugins } from '../plugins/project-plugins.js';
import { friendlyName } from '../plugins/store/parse-specifier.js';
import { readStoredPlugins, type StoredPlugin } from '../plugins/store/plugin-store.js';

/** One line of `agentgym plugins`. */
export interface ListedPlugin {
  readonly name: string;
  readonly friendlyName: string;
  readonly version: string | null;
  readonly type: 'built-in' | 'installed' | 'linked' | 'project';
  /** Tag, range, URL or folder; null for a built-in plugin or one of the project. */
  readonly source: string | null;
  readonly root: string;
  /** Why it cannot be used. */
  readonly problem?: string;
  /** Which plugin it replaces. */
  readonly note?: string;
}

/** All plugins that apply in a folder, sorted by name, and installed plugins whose folder is missing. */
export async function listPlugins(config: Config, folder: string): Promise<readonly ListedPlugin[]> {
  const stored = await readStoredPlugins(config.dataDir);
  const { sources } = await installedPlugins(config, folder);
  const loaded = sources.map(({ name, version, root, origin, insteadOf }): ListedPlugin => {
    const note = insteadOf === undefined ? {} : { note: `instead of ${insteadOf.version}, ${insteadOf.origin}` };
    const shared = { name, friendlyName: friendlyName(name), version, root, ...note };
    if (origin === 'project') return { ...shared, type: 'project', source: null };
    return { ...shared, ...placeOf(stored.find((plugin) => plugin.name === name)) };
  });
  const gone = stored
    .filter(({ name, root }) => root !== undefined && !existsSync(root) && !loaded.some((item) => item.name === name))
    .map((entry): ListedPlugin => {
      const { name, root = '' } = entry;
      const problem = `its folder is gone; \`agentgym plugins uninstall ${name}\` removes it from the list`;
      return { name, friendlyName: friendlyName(name), version: null, ...placeOf(entry), root, problem };
    });
  return [...loaded, ...gone].sort(byName);
}

/** Lines of plugins below a heading for each type. */
export function pluginTable(plugins: readonly ListedPlugin[]): string[] {
  const width = Math.max(0, ...plugins.map((plugin) => plugin.friendlyName.length));
  return (['project', 'linked', 'installed', 'built-in'] as const).flatMap((type) => {
    const lines = plugins
      .filter((plugin) => plugin.type === type)
      .map(({ friendlyName: shown, version, source, problem, note = problem }) =>
        [`  ${shown.padEnd(width)}`, version ?? '-', source ?? '', note === undefined ? '' : `(${note})`]
          .join('  ')
          .trimEnd(),
      );
    return lines.length === 0 ? [] : [type, ...lines, ''];
  });
}

function placeOf(entry: StoredPlugin | undefined): Pick<ListedPlugin, 'type' | 'source'> {
  if (entry === undefined) return { type: 'built-in', source: null };
  if (entry.type === 'link') return { type: 'linked', source: entry.root ?? null };
  return { type: 'installed', source: entry.url ?? entry.tag ?? 'latest' };
}
