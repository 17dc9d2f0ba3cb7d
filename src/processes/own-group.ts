import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';

/** A child process and everything that it starts. They end with this thread. */
export interface OwnedGroup {
  /** Once resolved, the group ends with its owner, for whatever reason the owner ends. Never rejects. */
  readonly isGuarded: Promise<void>;
  /** Sends a signal to the child and everything that it started. Does nothing once they have ended. */
  kill(signal: NodeJS.Signals): void;
}

/**
 * A shell that lives as long as the thread it works for. Its standard input ends when that thread ends, for any reason,
 * and then it kills the registered groups, the ones in its arguments first. It has its own session, so that no Ctrl-C
 * and no kill of the owner's group reaches it.
 */
export const guardProgram = `
groups=" $* "
while read -r sign group; do
  case $sign$groups in
    *" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
  case $sign in +) groups="$groups$group " ;; esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
`;

const isWindows = process.platform === 'win32';
const living = new Map<number, ChildProcess>();
let guard: { readonly process: ChildProcess; readonly input: Socket } | undefined;

/** Child processes that this thread owns and that have not ended. */
export function ownedGroupCount(): number {
  return living.size;
}

/**
 * Takes over a child that was started with `detached: true`. Its process group ends when the child exits, when this
 * thread ends (`terminate()` of a worker, an exit, an uncaught exception), and when the process is killed with SIGKILL.
 *
 * A child that could not start needs no end. A program that leaves its process group on purpose (a daemon) escapes. A
 * child whose owner was a terminated worker is dead, but stays in the table of processes until the whole process ends,
 * because nothing waits for it. Windows has no process groups: the tree of a child is killed on request, only the child
 * when the thread ends by itself, and nothing after `terminate()` or a kill of the process.
 */
export function ownGroup(child: ChildProcess): OwnedGroup {
  const { pid } = child;
  if (pid === undefined) return { isGuarded: Promise.resolve(), kill: () => undefined };
  living.set(pid, child);
  const kill = (signal: NodeJS.Signals): void => {
    if (living.has(pid)) killGroup(pid, child, signal);
  };
  child.once('exit', () => {
    // While a process is left in the group, the system does not reuse its number.
    if (!isWindows) killGroup(pid, child, 'SIGKILL');
    living.delete(pid);
    if (!isWindows) void tell(`- ${pid}\n`);
  });
  if (!isWindows) return { isGuarded: tell(`+ ${pid}\n`), kill };
  process.off('exit', killLiving).on('exit', killLiving);
  return { isGuarded: Promise.resolve(), kill };
}

function killGroup(pid: number, child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (!isWindows) process.kill(-pid, signal);
    else if (signal === 'SIGKILL') spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore' });
    else child.kill(signal);
  } catch {
    // The whole group has ended.
  }
}

function killLiving(): void {
  for (const child of living.values()) child.kill();
}

/** Resolves once the line is in the guard's pipe. The guard reads it even if this process has ended. */
async function tell(line: string): Promise<void> {
  const told = (guard ??= startGuard());
  const failed = await write(told.input, line);
  if (!failed || living.size === 0) return;
  // The guard was killed. The next one knows all living groups.
  if (guard === told) guard = undefined;
  guard ??= startGuard();
}

function startGuard(): { readonly process: ChildProcess; readonly input: Socket } {
  const name = `agentgym: ends the child processes of ${process.pid}`;
  // All living groups are in its arguments, so that it knows them from the start.
  const started = spawn('/bin/sh', ['-c', guardProgram, name, ...Array.from(living.keys(), String)], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const input = started.stdin as Socket;
  input.on('error', () => undefined);
  started.on('error', () => undefined);
  started.once('exit', () => {
    if (guard?.process !== started) return;
    guard = undefined;
    if (living.size > 0) guard = startGuard();
  });
  // The guard waits for this process, not the other way round.
  started.unref();
  input.unref();
  return { process: started, input };
}

/** True if the line could not be written. */
function write(input: Socket, line: string): Promise<boolean> {
  return new Promise((resolve) => {
    input.write(line, (error) => resolve(error !== null && error !== undefined));
  });
}
