import { hideSecrets } from '../../errors/hide-secrets.js';
import { hostRange } from '../inspect-package.js';
import { readPackage } from './check-package.js';
import { readLockfile } from './install-scripts.js';
import { generationOf, type StoredPlugin } from './plugin-store.js';

/** The known facts about the origin of a plugin. */
export interface PluginProvenance {
  /** A tag, range, URL or folder; null for a plugin that came with the host. */
  readonly source: string | null;
  readonly commit: string | null;
  /** Hash of the tarball, as npm writes it; null without a tarball. */
  readonly integrity: string | null;
  /** Address of the tarball; null if the plugin came from elsewhere. */
  readonly resolved: string | null;
}

/** Reads the origin of an installed or linked plugin. */
export async function readPluginOrigin(
  dataDirectory: string,
  plugin: StoredPlugin | undefined,
): Promise<PluginProvenance> {
  const none = { source: null, commit: null, integrity: null, resolved: null };
  if (plugin === undefined) return none;
  const source = plugin.url ?? (plugin.type === 'link' ? (plugin.root ?? null) : (plugin.tag ?? null));
  const generation = generationOf(dataDirectory, plugin);
  if (generation === undefined) return { ...none, source };
  const { packages } = await readLockfile(generation);
  const { integrity = null, resolved = null } = packages?.[`node_modules/${plugin.name}`] ?? {};
  const shown = plugin.url === undefined && resolved !== null ? hideSecrets(resolved) : null;
  return { source, commit: plugin.commit ?? null, integrity, resolved: shown };
}

/** Names and ranges of a plugin's dependencies, and the range of hosts that it accepts. */
export async function readPluginNeeds(root: string) {
  const json = await readPackage(root);
  return { dependencies: rangesOf(json.dependencies), peerRange: hostRange(json) ?? null };
}

/** A package.json can have anything in the place of a range. */
function rangesOf(dependencies: unknown): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(Object(dependencies) as object).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
}
