import { isAbsolute, relative, resolve } from 'node:path';

import { readPackageJson } from './read-package-json.js';

/**
 * The origin of a package. One name counts once, and the first of these origins wins: `project`, a dependency of the
 * working folder, or that folder itself; `linked`, by `agentgym plugins link`; `user`, by `agentgym plugins install`;
 * `built-in`, with the CLI.
 */
export type PluginOrigin = 'project' | 'linked' | 'user' | 'built-in';

/** A package that may be a plugin of agentgym, with the facts that are known before any of its code runs. */
export interface PluginSource {
  /** Folder of the package. */
  readonly root: string;
  readonly name: string;
  readonly version: string;
  readonly origin: PluginOrigin;
  /** The `agentgym` field of its package.json, if it has one. */
  readonly declaration: unknown;
  /** Another package with this name, which this one overrides. */
  readonly insteadOf?: Pick<PluginSource, 'version' | 'origin'>;
}

/** The part of oclif's Config that this module reads. */
export interface OclifConfig {
  /** Folder of the CLI's own package. */
  readonly root: string;
  readonly plugins: ReadonlyMap<string, OclifPlugin>;
  /** The CLI's own package.json. `plugins` has the names of built-in packages. */
  readonly pjson: {
    readonly oclif: { readonly plugins?: readonly string[] };
    readonly dependencies?: { readonly [name: string]: string };
  };
}

interface OclifPlugin {
  readonly root: string;
  readonly name: string;
  readonly version: string;
  readonly type?: string;
  readonly pjson: object;
}

/**
 * The oclif plugins that are plugins of agentgym, in name order, because oclif's own order is not stable. An installed
 * package with neither the `agentgym` field nor an oclif command or hook is included, so that its user hears of the
 * mistake.
 */
export function pluginSourcesOf(config: OclifConfig): PluginSource[] {
  return [...config.plugins.values()]
    .filter((plugin) => isPluginDeclaration(declarationOf(plugin)) || isNothing(plugin))
    .map((plugin): PluginSource => {
      const { root, name, version } = plugin;
      const origin = originOf(plugin);
      const isReplacing = origin !== 'built-in' && config.pjson.oclif.plugins?.includes(name) === true;
      const builtIn = { version: config.pjson.dependencies?.[name] ?? 'its version', origin: 'built-in' as const };
      const declaration = declarationOf(plugin);
      return { root, name, version, origin, declaration, ...(isReplacing && { insteadOf: builtIn }) };
    })
    .sort(byName);
}

/** Reads a package folder as a plugin. Throws what `readPackageJson` throws. */
export async function readPluginSource(root: string, origin: PluginOrigin = 'project'): Promise<PluginSource> {
  const { name, version, agentgym } = Object(await readPackageJson(root)) as Record<string, unknown>;
  return {
    root,
    name: typeof name === 'string' ? name : root,
    version: typeof version === 'string' ? version : '0.0.0',
    origin,
    declaration: agentgym,
  };
}

/**
 * Whether a path leads to something inside the package's folder, and not to the folder itself. A path that leaves the
 * folder must not be followed.
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
 * The package.json files of the CLI and of recipes have an `agentgym` field too, but without `plugin` or `apiVersion`.
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

/** Whether a user installed a package that provides nothing. */
function isNothing(plugin: OclifPlugin): boolean {
  if (originOf(plugin) === 'built-in' || declarationOf(plugin) !== undefined) return false;
  const { oclif = {} } = plugin.pjson as { oclif?: { commands?: unknown; hooks?: unknown } };
  return oclif.commands === undefined && oclif.hooks === undefined;
}
