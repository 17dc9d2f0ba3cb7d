import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { satisfies, validRange } from 'semver';

import { AgentgymError } from '../../errors/agentgym-error.js';
import { API_VERSION } from '../load-plugin.js';
import { liesWithin } from '../plugin-source.js';

/** What the store reads of a plugin's package.json. */
export interface PluginPackage {
  readonly name: string;
  readonly version: string;
  readonly scripts?: { readonly [name: string]: string };
  readonly dependencies?: { readonly [name: string]: string };
  readonly peerDependencies?: { readonly [name: string]: string };
}

/** The package that plugins have as their peer. */
export const HOST = '@agentgym/cli';

/** Scripts that make what is published out of what is in a repository. */
const BUILDERS = ['prepare', 'prepack', 'build'];

/**
 * Refuses a name that no registry takes: npm names files after it, which would then lie elsewhere.
 *
 * @param from where the package comes from
 * @throws AgentgymError AG_PLUGIN_REFUSED
 */
export function refusePackageName(name: unknown, from: string): void {
  if (typeof name === 'string' && /^(@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*$/i.test(name)) return;
  throw new AgentgymError('AG_PLUGIN_REFUSED', {
    message: `${from} is refused: its package.json calls it ${JSON.stringify(name)}, which is no name of a package`,
  });
}

/**
 * Reads a package's package.json and refuses it, before any of its code runs, where this host cannot use it as a
 * plugin.
 *
 * @throws AgentgymError AG_PLUGIN_REFUSED, AG_PLUGIN_NOT_FOUND
 */
export async function checkPackage(root: string, hostVersion: string): Promise<PluginPackage> {
  const json = await readPackage(root);
  const { name, version } = json;
  const refuse = (message: string, hint?: string): never => {
    throw new AgentgymError('AG_PLUGIN_REFUSED', {
      message: `${String(name)} ${String(version)} is refused: ${message}`,
      ...(hint !== undefined && { hint }),
      file: join(root, 'package.json'),
    });
  };
  if (typeof name !== 'string' || typeof version !== 'string')
    return refuse('its package.json lacks a name or a version');
  const { agentgym, oclif } = json;
  if (!isObject(agentgym) || !('apiVersion' in agentgym || 'plugin' in agentgym)) {
    const wanted = `"agentgym": {"apiVersion": ${API_VERSION}, "plugin": "./dist/index.js"}`;
    return refuse(
      'it is no plugin: its package.json has no `agentgym` field',
      `A plugin's package.json says ${wanted}.`,
    );
  }
  const { apiVersion, plugin } = agentgym;
  if (apiVersion !== API_VERSION) {
    const found = apiVersion === undefined ? 'no version' : `version ${JSON.stringify(apiVersion)}`;
    return refuse(
      `it is written for ${found} of the plugin API, and agentgym ${hostVersion} has version ${API_VERSION}`,
      `Install another version of it, \`agentgym plugins install ${name}@VERSION\`, or another agentgym.`,
    );
  }
  if (!isObject(oclif)) {
    return refuse(
      'its package.json has no `oclif` field',
      'Its author adds `"oclif": {}`, without which nothing loads it.',
    );
  }
  const peer = peerRange(json);
  if (peer !== undefined && validRange(peer) !== null && !satisfies(hostVersion, peer, { includePrerelease: true })) {
    return refuse(
      `it wants ${HOST} ${peer}, and this is ${hostVersion}`,
      `Install another version of it, \`agentgym plugins install ${name}@VERSION\`, or another agentgym.`,
    );
  }
  if (typeof plugin !== 'string') {
    return refuse(
      '`agentgym.plugin` in its package.json is no path',
      'Its author names the entry: "plugin": "./dist/index.js".',
    );
  }
  const entry = resolve(root, plugin);
  if (!liesWithin(root, plugin)) {
    return refuse(`its entry ${plugin} lies outside of its package`, 'Its author names a file of the package itself.');
  }
  if (!existsSync(entry)) {
    const builder = BUILDERS.find((script) => json.scripts?.[script] !== undefined);
    return builder === undefined
      ? refuse(
          `its entry ${plugin} does not exist`,
          'Its author builds it before it is packed, and lists it in `files`.',
        )
      : refuse(
          `its entry ${plugin} does not exist: it must be built first (\`${builder}\` runs \`${json.scripts?.[builder]}\`), and scripts of plugins are not run`,
          `In a copy of its source: \`npm install && npm run ${builder}\`, then \`agentgym plugins link DIR\`; or install it from the registry.`,
        );
  }
  return json;
}

/** The versions of the host that a plugin says it works with. */
export function peerRange({ peerDependencies }: PluginPackage): string | undefined {
  return peerDependencies?.[HOST];
}

/** The package.json of a folder. Throws AgentgymError AG_PLUGIN_NOT_FOUND. */
export async function readPackage(root: string): Promise<PluginPackage & { agentgym?: unknown; oclif?: unknown }> {
  const file = join(root, 'package.json');
  try {
    return JSON.parse(await readFile(file, 'utf8')) as PluginPackage;
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const message = missing
      ? `${root} is no package: it has no package.json`
      : `${file} cannot be read: ${String(error)}`;
    throw new AgentgymError('AG_PLUGIN_NOT_FOUND', { message, file, cause: error });
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
