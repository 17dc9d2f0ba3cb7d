import { readdir, readFile, readlink } from 'node:fs/promises';

/** Pages of memory have this size on the systems that agentgym supports; a larger one only counts too little. */
const pageBytes = 4096;

/** A process in a namespace of process ids. */
export interface NamespaceProcess {
  readonly pid: number;
  /** Memory that it holds. Pages that processes share count for each. */
  readonly bytes: number;
}

/** The namespace of process ids of a process, for comparison. */
export function pidNamespaceOf(pid: number): Promise<string> {
  return readlink(`/proc/${pid}/ns/pid`);
}

/** All processes in a namespace, also those that left their groups and sessions. */
export async function processesIn(namespace: string): Promise<readonly NamespaceProcess[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    names.map(async (name): Promise<NamespaceProcess | undefined> => {
      try {
        if ((await readlink(`/proc/${name}/ns/pid`)) !== namespace) return undefined;
        const [size, resident = '0'] = (await readFile(`/proc/${name}/statm`, 'utf8')).split(' ');
        // It has ended, and its parent has not asked how.
        if (size === '0') return undefined;
        return { pid: Number(name), bytes: Number(resident) * pageBytes };
      } catch {
        // It has ended, or belongs to somebody else.
        return undefined;
      }
    }),
  );
  return found.filter((one) => one !== undefined);
}
