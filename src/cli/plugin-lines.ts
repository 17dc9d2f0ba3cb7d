import type { InstalledPlugin } from '../plugins/store/link-plugin.js';
import type { UpdatedPlugin } from '../plugins/store/update-plugins.js';

/** The output of `plugins install` or `link` for the user. */
export function installedLines({ name, version, type, source, contributions }: InstalledPlugin): string[] {
  const from = type === 'link' ? `Linked ${name} ${version} (${source})` : `Installed ${name} ${version}`;
  return [from, ...contributions.map((item) => `  ${item.kind} ${item.name}: ${item.summary}`)];
}

/** The output of `plugins update` for the user. */
export function updatedLines(plugins: readonly UpdatedPlugin[]): string[] {
  if (plugins.length === 0) return ['No plugins are installed.'];
  return plugins.map(({ name, from, to, commit, skipped }) => {
    if (skipped !== undefined) return `${name} ${from}: not updated, ${skipped}`;
    const at = commit === undefined ? '' : ` (commit ${commit.slice(0, 12)})`;
    return from === to && at === '' ? `${name} ${from}: no newer version` : `${name} ${from} -> ${to}${at}`;
  });
}
