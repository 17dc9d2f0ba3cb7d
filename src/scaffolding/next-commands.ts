import { relative } from 'node:path';

import type { ProjectName } from './project-name.js';
import type { Template } from './template.js';

/** The next three commands, to type in the folder in which `init` ran. */
export function nextCommands(
  { isPackage, name: kind }: Template,
  { name }: ProjectName,
  target: string,
  cwd: string,
): [string, string, string] {
  const folder = quoted(relative(cwd, target));
  if (!isPackage) {
    const recipe = folder === '' ? 'recipe.yaml' : quoted(`${relative(cwd, target)}/recipe.yaml`);
    return [`agentgym train ${recipe}`, 'agentgym runs show latest', 'agentgym report latest'];
  }
  const install = folder === '' ? 'npm install' : `cd ${folder} && npm install`;
  const train = kind === 'environment' ? `agentgym train --environment ${name}` : 'agentgym train';
  return [install, 'npm test', train];
}

/** Quotes a path for a shell; most paths need no quotes. */
function quoted(path: string): string {
  return /^[\w./@+-]*$/.test(path) ? path : `"${path.replaceAll(/(["$`\\])/g, '\\$1')}"`;
}
