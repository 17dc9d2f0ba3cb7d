import { readFile } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve } from 'node:path';

/**
 * How a package came here. One name counts once, and the first of these wins: `project`, a dependency of the folder
 * that is worked in, or that folder itself; `linked`, by `agentgym plugins link`; `user`, by `agentgym plugins
 * install`; `built-in`, with the CLI.
 */
export type PluginOrigin = 'project' | 'linked' | 'user' | 'built-in';

/** A package that may be a plugin of agentgym: what is known of it before any of its code runs. */
export interface PluginSource {
  /** Folder of the package. */
  readonly root: string;
  readonly name: string;
  readonly version: string;
  readonly origin: PluginOrigin;
  /** The `agentgym` field of its package.json; absent where it has none. */
  readonly declaration: unknown;
  /** The package of that name that does not count, because this one does. */
  readonly insteadOf?: Pick<PluginSource, 'version' | 'origin'>;
}

/** What this module reads of oclif's Config. */
export interface OclifConfig {
  /** Folder of the CLI's own package. */
  readonly root: string;
  readonly plugins: ReadonlyMap<string, OclifPlugin>;
}

interface OclifPlugin {
  readonly root: string;
  readonly name: string;
  readonly version: string;
  readonly type?: string;
  readonly pjson: object;
}

/**
 * The oclif plugins that are plugins of agentgym, in name order: oclif's own order is not stable. One that somebody
 * installed and that has neither our field nor a command or hook of oclif's is among them, so that somebody hears of
 * it.
 */
export function pluginSourcesOf(config: OclifConfig): PluginSource[] {
  return [...config.plugins.values()]
    .filter((plugin) => isPluginDeclaration(declarationOf(plugin)) || isNothing(plugin))
    .map((plugin): PluginSource => {
      const { root, name, version } = plugin;
      return { root, name, version, origin: originOf(plugin), declaration: declarationOf(plugin) };
    })
    .sort(byName);
}

/** Reads a package folder as a plugin. Throws if there is no readable package.json. */
export async function readPluginSource(root: string, origin: PluginOrigin = 'project'): Promise<PluginSource> {
  const text = await readFile(join(root, 'package.json'), 'utf8');
  const json = JSON.parse(text) as { name?: string; version?: string; agentgym?: unknown };
  return {
    root,
    name: json.name ?? root,
    version: json.version ?? '0.0.0',
    origin,
    declaration: json.agentgym,
  };
}

/**
 * True of a path that leads to something of the package's own other than its folder; one that climbs out of it is not
 * to be followed.
 */
export function liesWithin(root: string, path: string): boolean {
  const inside = relative(root, resolve(root, path));
  return inside !== '' && !inside.startsWith('..') && !isAbsolute(inside);
}

/** Compares by code units, so that the order does not depend on the locale. */
export function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/**
 * The CLI's own package.json and those of recipes have an `agentgym` field too, but no `plugin` or `apiVersion` in it.
 */
export function isPluginDeclaration(declaration: unknown): boolean {
  return (
    typeof declaration === 'object' && declaration !== null && ('plugin' in declaration || 'apiVersion' in declaration)
  );
}

function declarationOf({ pjson }: OclifPlugin): unknown {
  return (pjson as { agentgym?: unknown }).agentgym;
}

function originOf({ type }: OclifPlugin): PluginOrigin {
  return type === 'link' ? 'linked' : type === 'user' ? 'user' : 'built-in';
}

/** Installed by somebody, and of no use to anybody. */
function isNothing(plugin: OclifPlugin): boolean {
  if (originOf(plugin) === 'built-in' || declarationOf(plugin) !== undefined) return false;
  const { oclif = {} } = plugin.pjson as { oclif?: { commands?: unknown; hooks?: unknown } };
  return oclif.commands === undefined && oclif.hooks === undefined;
}
