import { execFileSync } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

import { readProcFile, statFields } from './proc-file.js';

/**
 * The identity of a process: ids are reused, so the start time and the boot are stored, too. `null` if the system does
 * not tell.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** Linux: clock ticks since boot; macOS: a date. Compared as text, never parsed. */
  readonly startTime: string | null;
  readonly bootId: string | null;
  /** The machine, or the container, whose process ids these are. Absent in identities that older versions wrote. */
  readonly host?: string;
}

/** The identity of this process. */
export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, startTime: startTimeOf(process.pid), bootId: bootId(), host: ownHost() };
}

/** Whether only another machine can tell if the process runs: its disk is shared. */
export function isForeign({ host }: ProcessIdentity): boolean {
  return host !== undefined && host !== ownHost();
}

/** Containers of one name on one machine count their processes separately. */
function ownHost(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/**
 * Whether exactly this process still runs. It does not after another boot, if its id is reused, or as a zombie (not
 * reaped yet).
 */
export function isAlive(identity: ProcessIdentity): boolean {
  const boot = bootId();
  if (identity.bootId !== null && boot !== null && identity.bootId !== boot) return false;
  try {
    process.kill(identity.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const startTime = startTimeOf(identity.pid);
  if (startTime === null) return process.platform !== 'linux';
  return identity.startTime === null || identity.startTime === startTime;
}

function bootId(): string | null {
  return readProcFile('/proc/sys/kernel/random/boot_id').trim() || null;
}

function startTimeOf(pid: number): string | null {
  if (process.platform === 'linux') {
    // proc(5): fields 3 and 22 are the state and the start time.
    const fields = statFields(pid);
    return ['Z', 'X'].includes(fields[0] ?? '') ? null : (fields[19] ?? null);
  }
  if (process.platform === 'win32') return null;
  try {
    const started = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' });
    return started.trim() || null;
  } catch {
    return null;
  }
}
