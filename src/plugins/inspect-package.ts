// The only definition of a package that this host can use as a plugin. The store refuses other packages, the host
// leaves them out, and `agentgym plugins check` reports the faults to authors. No code of the package runs.
import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

import { satisfies, valid, validRange } from 'semver';

import { isKeyMap } from '../config/recipe-layer.js';
import type { PluginApiVersion } from '../contracts/plugin.js';
import { isPluginDeclaration, liesWithin } from './plugin-source.js';

/** The version of the plugin API that this host supports. */
export const API_VERSION: PluginApiVersion = 1;

/** The package that plugins have as a peer dependency. */
export const HOST = '@agentgym/cli';

/** The most serious first. */
const kinds = [
  'package-json',
  'plugin-field',
  'api-version',
  'oclif-field',
  'host-range',
  'entry-path',
  'entry-file',
] as const;

/** A fault of a package. */
export interface PackageFault {
  readonly kind: (typeof kinds)[number];
  /** A clause about the package: "its package.json has no `oclif` field". */
  readonly message: string;
}

export interface Inspection {
  /** All faults, the most serious first. Empty if the host can use the package. */
  readonly faults: readonly PackageFault[];
  /** Absolute path of the entry, if the package names an existing file inside itself. */
  readonly entry?: string;
}

/** Inspects a package by its package.json. */
export function inspectPackage(root: string, json: unknown, hostVersion: string): Inspection {
  if (!isKeyMap(json)) return { faults: [{ kind: 'package-json', message: 'its package.json is not an object' }] };
  const faults: PackageFault[] = [];
  const { name, version, oclif } = json;
  const refuse = (message: string) => faults.push({ kind: 'package-json', message: `its package.json has ${message}` });
  if (!isPackageName(name)) refuse(invalidValue('name', name, 'which is not a name of a package'));
  else if (isReserved(name)) refuse(`the name ${name}, which belongs to agentgym itself`);
  if (typeof version !== 'string' || valid(version) === null) {
    refuse(invalidValue('version', version, 'which is not a semantic version'));
  }
  if (!isKeyMap(oclif)) faults.push({ kind: 'oclif-field', message: 'its package.json has no `oclif` field' });
  const range = hostRange(json);
  if (
    range !== undefined &&
    validRange(range) !== null &&
    !satisfies(hostVersion, range, { includePrerelease: true })
  ) {
    faults.push({ kind: 'host-range', message: `it needs ${HOST} ${range}, but this is ${hostVersion}` });
  }
  const declared = inspectDeclaration(root, json['agentgym']);
  const all = [...faults, ...declared.faults].sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
  return { ...declared, faults: all };
}

/** Whether a registry accepts a value as a name. npm and agentgym name folders after it. */
export function isPackageName(name: unknown): name is string {
  return typeof name === 'string' && name.length <= 214 && /^(@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*$/i.test(name);
}

/** A wrong value of a package.json in words: `the version "new", which is ...`, or `no version`. */
export function invalidValue(key: string, value: unknown, why: string): string {
  return value === undefined ? namedValue(key, value) : `${namedValue(key, value)}, ${why}`;
}

/** The value can be of any type, size and depth. */
function namedValue(key: string, value: unknown): string {
  if (value === undefined) return `no ${key}`;
  if (typeof value === 'object' && value !== null) return `${Array.isArray(value) ? 'a list' : 'an object'} as ${key}`;
  return `the ${key} ${JSON.stringify(typeof value === 'string' ? value.slice(0, 100) : value)}`;
}

/** The host, and the packages that make its command line: under their names a plugin would replace them. */
function isReserved(name: string): boolean {
  return name.toLowerCase() === HOST || /^@oclif\//i.test(name);
}

/** Inspects the `agentgym` field of a package.json, and the entry that it names. */
export function inspectDeclaration(root: string, declaration: unknown): Inspection {
  const fault = (kind: PackageFault['kind'], message: string): PackageFault => ({ kind, message });
  if (!isPluginDeclaration(declaration)) {
    return { faults: [fault('plugin-field', 'its package.json has no `agentgym` field, so it is not a plugin')] };
  }
  const { apiVersion, plugin } = declaration as { apiVersion?: unknown; plugin?: unknown };
  const faults: PackageFault[] = [];
  if (apiVersion !== API_VERSION) {
    const message = `it is written for ${namedValue('version', apiVersion)} of the plugin API, but this agentgym has version ${API_VERSION}`;
    faults.push(fault('api-version', message));
  }
  if (typeof plugin !== 'string') {
    return { faults: [...faults, fault('entry-path', '`agentgym.plugin` in its package.json is not a path')] };
  }
  if (!liesWithin(root, plugin)) {
    return { faults: [...faults, fault('entry-path', `its entry ${plugin.slice(0, 200)} lies outside its package`)] };
  }
  const entry = resolve(root, plugin);
  if (statSync(entry, { throwIfNoEntry: false })?.isFile() !== true) {
    return { faults: [...faults, fault('entry-file', `its entry ${plugin} does not exist`)] };
  }
  // A link inside the package may lead out of it.
  if (!liesWithin(realpathSync(root), realpathSync(entry))) {
    return { faults: [...faults, fault('entry-path', `its entry ${plugin} is a link to a file outside its package`)] };
  }
  return { faults, entry };
}

/** The range of host versions that a plugin declares. */
export function hostRange(json: { readonly peerDependencies?: unknown }): string | undefined {
  const range = isKeyMap(json.peerDependencies) ? json.peerDependencies[HOST] : undefined;
  return typeof range === 'string' ? range : undefined;
}
