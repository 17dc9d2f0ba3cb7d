import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

import { nearestName } from '../config/nearest-name.js';
import { AgentgymError } from '../errors/agentgym-error.js';

/** Something that `init` can make. Its files are in the folder of that name in `templates/`. */
export interface Template {
  readonly name: string;
  /** One sentence without a full stop, for lists and prompts. */
  readonly summary: string;
  /** Prefix of the names of such packages; the name of the contribution follows it. */
  readonly prefix?: string;
  /** It is an npm package, which is installed, built and tested. */
  readonly isPackage: boolean;
}

/** The first is the default. */
export const templates = [
  { name: 'project', summary: 'A recipe and environments of your own, to train and compare', isPackage: true },
  { name: 'environment', summary: 'A plugin with an environment, to share', prefix: 'env-', isPackage: true },
  {
    name: 'environment-python',
    summary: 'A plugin with an environment in Python',
    prefix: 'env-',
    isPackage: true,
  },
  { name: 'reward', summary: 'A plugin with a reward scheme', prefix: 'reward-', isPackage: true },
  { name: 'algorithm', summary: 'A plugin with an algorithm', prefix: 'algo-', isPackage: true },
  { name: 'policy', summary: 'A plugin with a policy model', prefix: 'policy-', isPackage: true },
  { name: 'format', summary: 'A plugin with an action format', prefix: 'format-', isPackage: true },
  { name: 'recipe', summary: 'A recipe and its README, nothing to install', isPackage: false },
] as const satisfies readonly Template[];

/** @throws AgentgymError AG_INIT_TEMPLATE */
export function findTemplate(name: string): Template {
  const names = templates.map((template) => template.name);
  const found = templates.find((template) => template.name === name);
  if (found !== undefined) return found;
  const near = nearestName(name, names);
  throw new AgentgymError('AG_INIT_TEMPLATE', {
    message: `there is no template \`${name}\``,
    hint: near === undefined ? `Templates: ${names.join(', ')}.` : `Did you mean \`--template ${near}\`?`,
  });
}

/**
 * The dependency of a created package on the host: the creating version or, in a checkout of the sources, which may be
 * unpublished, the checkout.
 */
export function hostDependency(root: string, version: string, target: string): string {
  const isCheckout = existsSync(join(root, 'src', 'scaffolding'));
  return isCheckout ? `file:${relative(target, root).split(sep).join('/')}` : `^${version}`;
}

/** The root of this package, with `templates/` and the licence, in a checkout and when installed. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}
