import { shellWord } from '../errors/shell-word.js';

/**
 * The command that installs another version of a package. npm installs packages of the project, and the CLI installs all
 * others.
 *
 * @param range a version or a range; absent: the newest
 */
export function installCommand(
  { name, origin }: { readonly name: string; readonly origin: string },
  range?: string,
): string {
  const what = range === undefined ? name : `${name}@${range}`;
  return `${origin === 'project' ? 'npm' : 'agentgym plugins'} install ${shellWord(what)}`;
}
