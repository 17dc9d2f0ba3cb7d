import { spawn } from 'node:child_process';
import { once } from 'node:events';

import type { ChildProcess, EnvironmentHost } from '../contracts/host.js';

/** Groups of processes that live. */
const groups = new Set<number>();
let isGuarded = false;

/** Child processes of tests: each leads a group of its own, so that what it starts itself ends with it; all end with this process. */
export const spawnChild: EnvironmentHost['spawn'] = async (command, args = [], options = {}): Promise<ChildProcess> => {
  const { cwd, env, signal } = options;
  const child = spawn(command, args, { detached: true, ...(cwd !== undefined && { cwd }), ...(env && { env }) });
  const { stdin, stdout, stderr } = child;
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('exit', (code, by) => resolve({ code, signal: by }));
  });
  await once(child, 'spawn');
  const pid = child.pid as number;
  const kill = (by: NodeJS.Signals = 'SIGKILL'): void => {
    if (groups.has(pid)) killGroup(pid, by);
  };
  const abort = (): void => kill();
  groups.add(pid);
  if (!isGuarded) process.once('exit', killAll);
  isGuarded = true;
  if (signal?.aborted === true) kill();
  signal?.addEventListener('abort', abort, { once: true });
  void ended.then(() => {
    groups.delete(pid);
    signal?.removeEventListener('abort', abort);
  });
  // What is written to a process that has ended is lost, and nobody's fault.
  stdin.on('error', () => undefined);
  return { pid, stdin, stdout, stderr, ended, kill };
};

function killAll(): void {
  for (const pid of groups) killGroup(pid, 'SIGKILL');
}

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // All of them have ended already.
  }
}
