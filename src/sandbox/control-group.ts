// A control group (cgroup v2) for each sandbox, by which the system keeps the limits of memory and processes. It needs a group
// that was delegated to this process: agentgym makes groups below its own, and moves itself into one of them, because
// the system wants processes at the ends of the tree only. It moves nobody else's processes.
import { accessSync, constants, existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import type { SandboxLimit } from '../contracts/sandbox.js';
import { messageOf } from '../errors/message-of.js';
import { pidNamespaceOf } from './namespace-processes.js';

/** The group of agentgym's own processes, below the one that was delegated. */
const ownGroup = 'agentgym';
const controllers = ['memory', 'pids'];

/** The folder below which sandboxes have their groups, or why there is none. */
export type Delegation = { readonly folder: string } | { readonly problem: string };

let found: Promise<Delegation> | undefined;

/** Looks once in each thread, and prepares the group that it finds. */
export function delegatedGroup(): Promise<Delegation> {
  return (found ??= prepare().catch((error: unknown) => ({ problem: messageOf(error) })));
}

async function prepare(): Promise<Delegation> {
  const [groups, mounts] = await Promise.all(
    ['/proc/self/cgroup', '/proc/self/mountinfo'].map((file) => readFile(file, 'utf8')),
  );
  const own = groupFolder(groups as string, mounts as string);
  if (own === undefined) return { problem: 'this system shows no cgroup of version 2' };
  const above = dirname(own);
  // A process that agentgym started, or the shell that did, may already be in such a group.
  const folder = basename(own) === ownGroup && (await has(join(above, 'cgroup.subtree_control'))) ? above : own;
  if (!(await has(join(folder, 'cgroup.controllers')))) {
    return { problem: `the controllers ${controllers.join(' and ')} are not in ${folder}` };
  }
  for (const file of ['', 'cgroup.procs', 'cgroup.subtree_control']) {
    try {
      accessSync(join(folder, file), constants.W_OK);
    } catch {
      return { problem: `${join(folder, file)} was not delegated: it cannot be written` };
    }
  }
  if (folder === own && !(await has(join(folder, 'cgroup.subtree_control')))) {
    // The root of the tree may have processes beside its groups.
    const isRoot = !existsSync(join(folder, 'cgroup.type'));
    if (!isRoot && !(await leave(folder))) return { problem: `processes that agentgym did not start are in ${folder}` };
    await write(folder, 'cgroup.subtree_control', controllers.map((name) => `+${name}`).join(' '));
  }
  await removeAbandoned(folder);
  return { folder };

  async function has(file: string): Promise<boolean> {
    const names = (await readFile(file, 'utf8')).trim().split(' ');
    return controllers.every((name) => names.includes(name));
  }
}

/**
 * The folder of the group of version 2 that a process is in; undefined if the system has none, or shows another part of
 * the tree.
 *
 * @param groups the content of `/proc/PID/cgroup`
 * @param mounts that of `/proc/PID/mountinfo`
 */
export function groupFolder(groups: string, mounts: string): string | undefined {
  const path = /^0::(\/.*)$/m.exec(groups)?.[1];
  for (const line of path === undefined ? [] : mounts.split('\n')) {
    // Number, parent, device, root in the file system, mount point, options, more of them, `-`, type.
    const [, root = '', point = ''] = /^\d+ \d+ \S+ (\S+) (\S+) .*? - cgroup2 /.exec(line) ?? [];
    const below = root === '/' ? path : path === root ? '' : path?.startsWith(`${root}/`) ? path.slice(root.length) : undefined; // prettier-ignore
    if (point !== '' && below !== undefined) return join(point, below);
  }
  return undefined;
}

/** Moves this process and its descendants into a group below. Returns false, and moves none, if there are others. */
async function leave(folder: string): Promise<boolean> {
  const pids = (await read(folder, 'cgroup.procs')).split('\n').filter((pid) => pid !== '');
  const isOwn = async (pid: string): Promise<boolean> => {
    if (pid === `${process.pid}`) return true;
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    const parent = /^PPid:\s+(\d+)$/m.exec(status)?.[1] ?? '0';
    return parent !== '0' && isOwn(parent);
  };
  const own = await Promise.all(pids.map(isOwn));
  if (own.includes(false)) return false;
  await mkdir(join(folder, ownGroup), { recursive: true });
  // One that has ended meanwhile is no obstacle.
  for (const pid of pids) await write(join(folder, ownGroup), 'cgroup.procs', pid).catch(() => undefined);
  return true;
}

/** Removes groups of processes of agentgym that were killed. Those of another namespace of process ids may live. */
async function removeAbandoned(folder: string): Promise<void> {
  const prefix = await groupPrefix();
  for (const name of await readdir(folder)) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : process.pid;
    if (!existsSync(`/proc/${pid}`)) await rmdir(join(folder, name)).catch(() => undefined);
  }
}

/** What names of groups begin with, before the id of the process. */
async function groupPrefix(): Promise<string> {
  return `sandbox-${(await pidNamespaceOf(process.pid)).replace(/\D/g, '')}-`;
}

/** The group of a sandbox, as data for other threads. */
export interface GroupPlace {
  readonly folder: string;
}

/** Limits of all processes of a sandbox together. */
export interface GroupLimits {
  /** Memory, with files in memory. */
  readonly bytes: number;
  /** Processes and their threads. */
  readonly tasks: number;
}

/** Makes a group. `name` is unique among those of this process. Throws what the system says. */
export async function makeGroup(delegated: string, name: string, { bytes, tasks }: GroupLimits): Promise<GroupPlace> {
  const folder = join(delegated, `${await groupPrefix()}${process.pid}-${name}`);
  await mkdir(folder);
  try {
    await write(folder, 'memory.max', `${Math.floor(bytes)}`);
    await write(folder, 'pids.max', `${tasks}`);
    // Absent where the system has no swap. All processes end together, as at the other limits.
    await write(folder, 'memory.swap.max', '0').catch(() => undefined);
    await write(folder, 'memory.oom.group', '1');
    return { folder };
  } catch (error) {
    await rmdir(folder).catch(() => undefined);
    throw error;
  }
}

/** The command that enters a group and then runs another. */
export function enterGroup({ folder }: GroupPlace, command: readonly string[]): string[] {
  return ['/bin/sh', '-c', 'echo 0 > "$1/cgroup.procs" && shift && exec "$@"', 'sh', folder, ...command];
}

/** How often each limit was reached so far. */
export async function readEvents({ folder }: GroupPlace): Promise<{ readonly [limit in SandboxLimit]?: number }> {
  const [memory, pids] = await Promise.all(['memory.events', 'pids.events'].map((file) => read(folder, file)));
  return { memory: eventOf(memory as string, 'oom_kill'), processes: eventOf(pids as string, 'max') };
}

/** A number in a file of events. */
export function eventOf(events: string, name: string): number {
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(events)?.[1] ?? 0);
}

/** Tries to wait for the end of killed processes, a second in all. */
const mostWaits = 100;

/** Kills all processes of a group. Returns whether they have ended. */
export async function emptyGroup({ folder }: GroupPlace): Promise<boolean> {
  for (let waits = 0; waits < mostWaits; waits += 1) {
    if (eventOf(await read(folder, 'cgroup.events'), 'populated') === 0) return true;
    await write(folder, 'cgroup.kill', '1');
    await wait(waits === 0 ? 1 : 10);
  }
  return false;
}

/** Removes a group with its processes. Never throws: an empty group costs next to nothing. */
export async function removeGroup(group: GroupPlace): Promise<void> {
  await emptyGroup(group)
    .then(() => rmdir(group.folder))
    .catch(() => undefined);
}

function read(folder: string, file: string): Promise<string> {
  return readFile(join(folder, file), 'utf8');
}

function write(folder: string, file: string, value: string): Promise<void> {
  return writeFile(join(folder, file), value);
}
