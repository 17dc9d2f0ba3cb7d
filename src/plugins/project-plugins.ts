import { realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

import type { PluginProblem } from './load-plugin.js';
import {
  byName,
  isPluginDeclaration,
  pluginSourcesOf,
  readPluginSource,
  type OclifConfig,
  type PluginSource,
} from './plugin-source.js';
import { readPackageJson } from './read-package-json.js';

/** The plugins of the working folder. */
export interface ProjectPlugins {
  /** The project's folder; absent without a project. */
  readonly folder?: string;
  readonly sources: readonly PluginSource[];
  /** Dependencies that look like plugins, but are not installed. */
  readonly problems: readonly PluginProblem[];
  /** All dependencies that are not installed, with the requested range. */
  readonly missing: { readonly [name: string]: string };
}

interface ProjectPackage {
  readonly name?: string;
  readonly agentgym?: unknown;
  readonly dependencies?: { readonly [name: string]: string };
  readonly devDependencies?: { readonly [name: string]: string };
  readonly optionalDependencies?: { readonly [name: string]: string };
}

const NONE: ProjectPlugins = { sources: [], problems: [], missing: {} };
/** Usual names of plugin packages. A missing dependency with such a name is a problem. */
const PLUGIN_NAME =
  /(^|\/)(agentgym-)?plugin-(env|reward|policy|algo|format|tool)-|^@agentgym\/plugin-|agentgym-plugin/;

/**
 * The plugins of the project around a folder: the nearest folder at or above it with a package.json. They are the
 * project itself, if its package.json has `agentgym.plugin`, and every dependency of any kind in a `node_modules` at or
 * above it that declares a plugin. Only reads files; none of their code runs.
 *
 * @param host folder of the CLI's own package, which is never a project
 */
export async function projectPluginSources(folder: string, host?: string): Promise<ProjectPlugins> {
  const project = await findProject(resolve(folder));
  if (project === undefined || (host !== undefined && (await samePlace(project.folder, host)))) return NONE;
  const { folder: root, json } = project;
  const own = hasPlugin(json.agentgym) ? [await readPluginSource(root)] : [];
  const optional = json.optionalDependencies ?? {};
  const wanted = { ...optional, ...json.devDependencies, ...json.dependencies };
  const names = Object.keys(wanted).filter((name) => name !== json.name);
  const found = await Promise.all(names.map((name) => findDependency(name, root)));
  const missing = names.filter((_, i) => found[i] === undefined);
  const plugins = [...own, ...found.filter((source) => isPluginDeclaration(source?.declaration))];
  return {
    folder: root,
    // Two names of one package are possible: `npm:` makes aliases.
    sources: [...new Map(plugins.flatMap((source) => (source ? [[source.name, source]] : []))).values()].sort(byName),
    problems: missing
      .filter((name) => PLUGIN_NAME.test(name) && !Object.hasOwn(optional, name))
      .map((name) => notInstalled(name, wanted[name] ?? '', root)),
    missing: Object.fromEntries(missing.map((name) => [name, wanted[name] ?? ''])),
  };
}

/**
 * The active plugins in a folder: those of its project, those that the user installed, and those that come with the
 * CLI. One name counts once, and the project's plugin takes precedence.
 */
export async function installedPlugins(
  config: OclifConfig,
  folder: string,
): Promise<Pick<ProjectPlugins, 'sources' | 'problems'>> {
  const { sources: own, problems } = await projectPluginSources(folder, config.root);
  const installed = pluginSourcesOf(config);
  const standing = own.map((source) => {
    const other = installed.find(({ name, root }) => name === source.name && root !== source.root);
    return other === undefined ? source : { ...source, insteadOf: { version: other.version, origin: other.origin } };
  });
  const others = installed.filter(({ name }) => !own.some((source) => source.name === name));
  return { sources: [...standing, ...others].sort(byName), problems };
}

async function findProject(folder: string): Promise<{ folder: string; json: ProjectPackage } | undefined> {
  for (let here = folder; ; here = dirname(here)) {
    const json = await readPackage(here);
    if (json !== undefined) return { folder: here, json };
    if (dirname(here) === here) return undefined;
  }
}

/** Undefined if there is none. An unreadable package.json means a project without plugins; npm reports its error. */
async function readPackage(folder: string): Promise<ProjectPackage | undefined> {
  try {
    const json = await readPackageJson(folder);
    return typeof json === 'object' && json !== null ? json : {};
  } catch (error) {
    return /^(ENOENT|ENOTDIR|EACCES)$/.test((error as NodeJS.ErrnoException).code ?? '') ? undefined : {};
  }
}

/**
 * Finds a package as Node does: in the `node_modules` of the folder and of all folders above it. Links are followed, so
 * that a workspace has its real folder.
 */
async function findDependency(name: string, folder: string): Promise<PluginSource | undefined> {
  for (let here = folder; ; here = dirname(here)) {
    try {
      return await readPluginSource(await realpath(join(here, 'node_modules', name)));
    } catch {
      if (dirname(here) === here) return undefined;
    }
  }
}

function hasPlugin(declaration: unknown): boolean {
  return isPluginDeclaration(declaration) && 'plugin' in (declaration as object);
}

async function samePlace(a: string, b: string): Promise<boolean> {
  return (await realpath(a)) === (await realpath(b));
}

function notInstalled(name: string, version: string, folder: string): PluginProblem {
  return {
    plugin: name,
    version,
    message: `${join(folder, 'package.json')} depends on it, but it is not installed`,
    hint: 'Run `npm install` there.',
  };
}
