import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { readPackageJson } from '../read-package-json.js';
import type { PluginPackage } from './check-package.js';
import { describeNpmFailure } from './describe-npm-failure.js';
import { runNpm, type NpmSettings } from './run-npm.js';

/** A package that wants to run commands on this machine when it is installed. */
export interface InstallScripts {
  readonly package: string;
  readonly version: string;
  /** Commands in the order in which npm runs them, such as `postinstall: node fetch.js`. */
  readonly commands: readonly string[];
}

interface Lockfile {
  readonly packages?: {
    readonly [path: string]: { readonly version?: string; readonly integrity?: string; readonly resolved?: string };
  };
}

interface ScriptedPackage extends Pick<PluginPackage, 'name' | 'version' | 'scripts'> {
  readonly gypfile?: boolean;
}

/** Every package of a generation that has install scripts, by name. */
export async function findInstallScripts(generation: string): Promise<readonly InstallScripts[]> {
  const { packages } = await readLockfile(generation);
  const paths = Object.keys(packages ?? {}).filter((path) => path.includes('node_modules/'));
  const found = await Promise.all(paths.map((path) => scriptsOf(join(generation, path))));
  return found.flatMap((item) => item ?? []).sort((a, b) => (a.package < b.package ? -1 : 1));
}

/** Scripts in `after` that were not in `before` in the same version. */
export function newScripts(
  before: readonly InstallScripts[],
  after: readonly InstallScripts[],
): readonly InstallScripts[] {
  const key = (item: InstallScripts) => JSON.stringify(item);
  const known = new Set(before.map(key));
  return after.filter((item) => !known.has(key(item)));
}

/** Runs the scripts of these packages only. Throws AgentgymError AG_PLUGIN_INSTALL_FAILED. */
export async function runInstallScripts(
  scripts: readonly InstallScripts[],
  generation: string,
  settings: NpmSettings,
): Promise<void> {
  const packages = scripts.map((item) => `${item.package}@${item.version}`);
  // In npm 12, its policy must be overruled too. Only the packages named here are rebuilt.
  const flags = ['--ignore-scripts=false', '--dangerously-allow-all-scripts'];
  try {
    await runNpm(['rebuild', ...flags, ...packages], generation, settings);
  } catch (error) {
    throw describeNpmFailure(error, 'an install script');
  }
}

export async function readLockfile(generation: string): Promise<Lockfile> {
  const file = join(generation, 'package-lock.json');
  return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as Lockfile) : {};
}

async function scriptsOf(folder: string): Promise<InstallScripts | undefined> {
  const file = join(folder, 'package.json');
  // An optional package for another platform is only in the lockfile.
  if (!existsSync(file)) return undefined;
  const { name, version, scripts = {}, gypfile } = (await readPackageJson(folder)) as ScriptedPackage;
  const commands = ['preinstall', 'install', 'postinstall'].flatMap((event) =>
    scripts[event] === undefined ? [] : [`${event}: ${scripts[event]}`],
  );
  // npm builds a package with this file even if it names no script.
  const builds = gypfile !== false && existsSync(join(folder, 'binding.gyp'));
  if (builds && scripts['install'] === undefined && scripts['preinstall'] === undefined) {
    commands.push('install: node-gyp rebuild');
  }
  return commands.length === 0 ? undefined : { package: name, version, commands };
}
