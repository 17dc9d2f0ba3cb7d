import { join } from 'node:path';

import { AgentgymError } from '../../errors/agentgym-error.js';
import { messageOf } from '../../errors/message-of.js';
import { API_VERSION, inspectPackage, invalidValue, isPackageName, type PackageFault } from '../inspect-package.js';
import { readPackageJson } from '../read-package-json.js';

/** The part of a plugin's package.json that the store reads. */
export interface PluginPackage {
  readonly name: string;
  readonly version: string;
  readonly scripts?: { readonly [name: string]: string };
  readonly dependencies?: { readonly [name: string]: string };
  readonly peerDependencies?: { readonly [name: string]: string };
}

/** Scripts that build the published files from the repository. */
const BUILDERS = ['prepare', 'prepack', 'build'];

/**
 * Refuses names that no registry accepts: npm names files after them, and would write these files elsewhere.
 *
 * @param from source of the package
 * @throws AgentgymError AG_PLUGIN_REFUSED
 */
export function refusePackageName(name: unknown, from: string): void {
  if (isPackageName(name)) return;
  throw new AgentgymError('AG_PLUGIN_REFUSED', {
    message: `${from} is refused: its package.json has ${invalidValue('name', name, 'which is not a name of a package')}`,
  });
}

/**
 * Reads a package's package.json. Refuses the package if this host cannot use it as a plugin, before any of its code
 * runs.
 *
 * @throws AgentgymError AG_PLUGIN_REFUSED, AG_PLUGIN_NOT_FOUND
 */
export async function checkPackage(root: string, hostVersion: string): Promise<PluginPackage> {
  const json = await readPackage(root);
  const [fault] = inspectPackage(root, json, hostVersion).faults;
  if (fault === undefined) return json;
  const builder = fault.kind === 'entry-file' ? builderOf(json) : undefined;
  const must =
    builder === undefined
      ? ''
      : `: it must be built first (\`${builder}\` runs \`${json.scripts?.[builder]}\`), but agentgym does not run scripts of plugins`;
  const said = Object(json) as { name?: unknown; version?: unknown };
  const name = isPackageName(said.name) ? said.name : root;
  const version = typeof said.version === 'string' ? said.version.slice(0, 100) : '';
  const hint = builder === undefined ? cures[fault.kind](name) : cureByBuilding(builder);
  throw new AgentgymError('AG_PLUGIN_REFUSED', {
    message: `${name} ${version} is refused: ${fault.message}${must}`,
    hint,
    file: join(root, 'package.json'),
  });
}

const anotherVersion = (name: string): string =>
  `Install another version of it, \`agentgym plugins install ${name}@VERSION\`, or another agentgym.`;

/** What a user can do, or ask the author for. */
const cures: { readonly [Kind in PackageFault['kind']]: (name: string) => string | undefined } = {
  'package-json': () => undefined,
  'plugin-field': () =>
    `The package.json of a plugin must have "agentgym": {"apiVersion": ${API_VERSION}, "plugin": "./dist/index.js"}.`,
  'api-version': anotherVersion,
  'oclif-field': () => 'Its author must add `"oclif": {}`; agentgym loads only packages with this field.',
  'host-range': anotherVersion,
  'entry-path': () => 'Its author must name a file inside the package: "plugin": "./dist/index.js".',
  'entry-file': () => 'Its author must build it before packing, and list the built files in `files`.',
};

const cureByBuilding = (builder: string): string =>
  `In a copy of its source, run \`npm install && npm run ${builder}\`, then \`agentgym plugins link DIR\`; or install it from the registry.`;

function builderOf({ scripts }: PluginPackage): string | undefined {
  return BUILDERS.find((script) => scripts?.[script] !== undefined);
}

/** The package.json of a folder. Throws AgentgymError AG_PLUGIN_NOT_FOUND. */
export async function readPackage(root: string): Promise<PluginPackage> {
  const file = join(root, 'package.json');
  try {
    return (await readPackageJson(root)) as PluginPackage;
  } catch (error) {
    const missing = /^(ENOENT|ENOTDIR)$/.test((error as NodeJS.ErrnoException).code ?? '');
    const message = missing
      ? `${root} is not a package: it has no package.json`
      : `${file} cannot be read: ${messageOf(error)}`;
    throw new AgentgymError('AG_PLUGIN_NOT_FOUND', { message, file, cause: error });
  }
}
