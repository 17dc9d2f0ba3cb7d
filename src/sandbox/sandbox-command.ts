import { dirname, resolve } from 'node:path';

import type { SandboxOptions } from '../contracts/sandbox.js';

/** Programs that make a sandbox, by absolute paths. */
export interface SandboxPrograms {
  readonly bwrap: string;
  readonly nsenter: string;
  readonly prlimit: string;
  readonly setpriv: string;
}

/**
 * The user as whom programs run. Root makes the namespaces itself, and takes another user for them, so that it can show
 * folders that only it may read. Undefined: the user of this process, in a namespace of users.
 */
export type Owner = number | undefined;

/** The limits where nobody sets others. */
export const usualLimits = { megabytes: 512, diskMegabytes: 64, files: 10_000, processes: 64 };

/** The folder that programs may write, as they see it. */
export const workFolder = '/work';

/** The user and the group in a namespace of users. They own the working folder, and nothing else. */
const inside = '1000';
const devices = ['null', 'zero', 'full', 'random', 'urandom'];
/** On merged systems they are links into /usr. */
const links = ['bin', 'lib', 'lib64', 'sbin'];
const mega = 1e6;

/**
 * The command that makes the namespaces and stays in them. It writes a JSON object with its process id, and then a line
 * `ready`.
 *
 * @param hidden paths to hide, and whether each is a folder
 */
export function holdCommand(
  programs: SandboxPrograms,
  owner: Owner,
  { diskMegabytes = usualLimits.diskMegabytes, read = [] }: SandboxOptions,
  hidden: readonly { readonly path: string; readonly isFolder: boolean }[],
): string[] {
  return [
    // bwrap closes the descriptor on which it tells the process id, and standard output is still needed.
    ...['/bin/sh', '-c', 'exec "$@" 4>&1', 'sh'],
    programs.bwrap,
    ...(owner === undefined ? ['--unshare-user', '--uid', inside, '--gid', inside] : []),
    ...['ipc', 'pid', 'net', 'uts', 'cgroup-try'].map((kind) => `--unshare-${kind}`),
    ...['--hostname', 'sandbox'],
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...['--ro-bind', '/usr', '/usr', ...links.flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`])],
    // Programs find alternatives and libraries by these.
    ...['alternatives', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'localtime'].flatMap((name) => [
      '--ro-bind-try',
      `/etc/${name}`,
      `/etc/${name}`,
    ]),
    // Root makes folders that lead to others for itself alone.
    ...[...new Set(read.flatMap(ancestors))].flatMap((path) => ['--perms', '0755', '--dir', path]),
    ...read.flatMap((path) => ['--ro-bind', path, path]),
    ...hidden.flatMap(({ path, isFolder }) => (isFolder ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path])), // prettier-ignore
    // Without devpts: for it bwrap would make a second namespace of users, which nobody may enter.
    ...['--proc', '/proc', '--tmpfs', '/dev', ...devices.flatMap((name) => ['--dev-bind', `/dev/${name}`, `/dev/${name}`])], // prettier-ignore
    ...['--symlink', '/proc/self/fd', '/dev/fd', '--remount-ro', '/dev'],
    ...['--perms', '0777', '--size', `${Math.floor(diskMegabytes * mega)}`, '--tmpfs', workFolder],
    ...['--remount-ro', '/', '--info-fd', '4', '--clearenv', '--'],
    ...['/bin/sh', '-c', 'echo ready; exec sleep infinity'],
  ];
}

/** The folders above a path, outermost first, without the root. */
function ancestors(path: string): string[] {
  const above = dirname(resolve(path));
  return above === '/' ? [] : [...ancestors(above), above];
}

/**
 * The command that runs a program in existing namespaces.
 *
 * @param holder process id of a process in them
 * @param processes absent: something else limits them
 */
export function enterCommand(
  programs: SandboxPrograms,
  owner: Owner,
  holder: number,
  { env = {}, processes }: Pick<SandboxOptions, 'env'> & { readonly processes?: number | undefined },
  command: readonly string[],
): string[] {
  const variables = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: workFolder, TMPDIR: workFolder, LANG: 'C.UTF-8' };
  const kinds = ['mount', 'pid', 'net', 'ipc', 'uts', 'cgroup'].map((kind) => `--${kind}`);
  const enter = owner === undefined ? ['--user', '--preserve-credentials', ...kinds] : kinds;
  const drop = [
    '--reuid',
    `${owner}`,
    '--regid',
    `${owner}`,
    '--clear-groups',
    '--bounding-set=-all',
    '--inh-caps=-all',
  ];
  // The limit counts all processes of a user, so it only binds an owner of its own.
  const limits = ['--core=0', ...(owner === undefined || processes === undefined ? [] : [`--nproc=${processes}`])];
  return [
    ...[programs.nsenter, '--target', `${holder}`, ...enter, '--'],
    ...[programs.setpriv, ...(owner === undefined ? [] : drop), '--no-new-privs', '--'],
    ...[programs.prlimit, ...limits, '--'],
    ...['/usr/bin/env', '-i', ...Object.entries({ ...variables, ...env }).map(([name, value]) => `${name}=${value}`)],
    ...['/bin/sh', '-c', `cd ${workFolder} && exec "$@"`, 'sh', ...command],
  ];
}
