import { relative } from 'node:path';

import { shellWord } from '../errors/shell-word.js';
import type { ProjectName } from './project-name.js';
import type { Template } from './template.js';

/** The next three commands, to type in the folder in which `init` ran. */
export function nextCommands(
  { isPackage, name: kind }: Template,
  { name }: ProjectName,
  target: string,
  cwd: string,
): [string, string, string] {
  const folder = relative(cwd, target);
  if (!isPackage) {
    const recipe = folder === '' ? 'recipe.yaml' : shellWord(`${folder}/recipe.yaml`);
    return [`agentgym train ${recipe}`, 'agentgym runs show latest', 'agentgym report latest'];
  }
  const install = folder === '' ? 'npm install' : `cd ${shellWord(folder)} && npm install`;
  const train = kind.startsWith('environment') ? `agentgym train --environment ${name}` : 'agentgym train';
  return [install, 'npm test', train];
}
