import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A package that may be a plugin of agentgym: what is known of it before any of its code runs. */
export interface PluginSource {
  /** Folder of the package. */
  readonly root: string;
  readonly name: string;
  readonly version: string;
  /** The `agentgym` field of its package.json. */
  readonly declaration: unknown;
}

/** What this module reads of oclif's Config. */
interface OclifConfig {
  readonly plugins: ReadonlyMap<
    string,
    { readonly root: string; readonly name: string; readonly version: string; readonly pjson: object }
  >;
}

/** The oclif plugins that carry an `agentgym.plugin` field, in name order: oclif's own order is not stable. */
export function pluginSourcesOf(config: OclifConfig): PluginSource[] {
  const sources = [...config.plugins.values()].map(({ root, name, version, pjson }) => ({
    root,
    name,
    version,
    declaration: (pjson as { agentgym?: unknown }).agentgym,
  }));
  return sources.filter(({ declaration }) => isPluginDeclaration(declaration)).sort(byName);
}

/** Reads a package folder as a plugin; for tests and for programs that work without oclif. */
export async function readPluginSource(root: string): Promise<PluginSource> {
  const text = await readFile(join(root, 'package.json'), 'utf8');
  const json = JSON.parse(text) as { name?: string; version?: string; agentgym?: unknown };
  return { root, name: json.name ?? root, version: json.version ?? '0.0.0', declaration: json.agentgym };
}

/** Compares by code units, so that the order does not depend on the locale. */
export function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** The CLI's own package.json and those of recipes have an `agentgym` field too, but no `plugin` or `apiVersion` in it. */
function isPluginDeclaration(declaration: unknown): boolean {
  return (
    typeof declaration === 'object' && declaration !== null && ('plugin' in declaration || 'apiVersion' in declaration)
  );
}
