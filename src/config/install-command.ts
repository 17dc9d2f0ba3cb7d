/** How a package came here: one of the project's is npm's to install, all else the CLI's. */
interface Installed {
  readonly name: string;
  readonly origin: string;
}

/** The command that brings another version of a package. `range`: a version or a range of them; absent: the newest. */
export function installCommand({ name, origin }: Installed, range?: string): string {
  const what = range === undefined ? name : `${name}@${range}`;
  // A shell would take these for something else.
  const quoted = /[\s^~<>|*=]/.test(what) ? `'${what}'` : what;
  return `${origin === 'project' ? 'npm' : 'agentgym plugins'} install ${quoted}`;
}
