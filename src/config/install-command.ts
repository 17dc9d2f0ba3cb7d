import { shellWord } from '../errors/shell-word.js';

/** A package and its origin. npm installs packages of the project, and the CLI installs all others. */
interface Installed {
  readonly name: string;
  readonly origin: string;
}

/** The command that installs another version of a package. `range`: a version or a range; absent: the newest. */
export function installCommand({ name, origin }: Installed, range?: string): string {
  const what = range === undefined ? name : `${name}@${range}`;
  return `${origin === 'project' ? 'npm' : 'agentgym plugins'} install ${shellWord(what)}`;
}
