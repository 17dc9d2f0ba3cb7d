import { closeSync, openSync, readdirSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { interruption } from '../errors/interruption.js';
import { readWholeFileSync } from '../files/read-whole-file.js';
import { isAlive, isForeign, ownIdentity, type ProcessIdentity } from './process-identity.js';

/** Other names are none of agentgym's: beyond 2^53, a number has no successor. */
const lockName = /^lock\.([1-9]\d{0,14})\.json$/;
const largestNumber = 10 ** 15 - 1;

/** A lock has some hundred bytes. */
const longestLock = 2 ** 16;

const pollMilliseconds = 100;

/** A lock shows that its owner lives: its file is touched this often. Other machines that share the disk see nothing else. */
const beatMilliseconds = 15_000;
/** The owner on another machine counts as dead after this time without a beat, by the clock of the disk. */
const silentMilliseconds = 90_000;

/** The right to write in a folder. At most one living process holds it. */
export interface ProcessLock {
  /** Releases the lock. It may be called twice. */
  release(): void;
}

/**
 * Takes the lock of a folder, or throws the error that `refusal` makes from the living process that holds it and the
 * lock's file. A dead owner never blocks.
 *
 * Locks are numbered files, so that two processes that find the same dead owner cannot both take over: each tries to
 * create the next number, and only one succeeds. A process that then sees a higher number was too late and gives up.
 */
export function acquireProcessLock(
  directory: string,
  refusal: (owner: ProcessIdentity, file: string) => Error,
): ProcessLock {
  const lock = tryLock(directory);
  if ('owner' in lock) throw refusal(lock.owner, lock.path);
  return lock;
}

function tryLock(directory: string): ProcessLock | LivingLock {
  for (;;) {
    const numbers = lockNumbers(directory);
    const [living] = livingLocks(directory, numbers);
    if (living !== undefined) return living;
    const mine = (numbers.at(-1) ?? 0) + 1;
    if (mine > largestNumber) {
      removeLock(lockPath(directory, largestNumber));
      continue;
    }
    const path = lockPath(directory, mine);
    if (!createLock(path)) continue;
    if (lockNumbers(directory).some((number) => number > mine)) {
      removeLock(path);
      continue;
    }
    for (const number of numbers) removeLock(lockPath(directory, number));
    return heldLock(path);
  }
}

/** Takes the lock of a folder once no living process holds it. Throws AG_INTERRUPTED once the signal is aborted. */
export async function waitForProcessLock(directory: string, signal: AbortSignal): Promise<ProcessLock> {
  for (;;) {
    if (signal.aborted) throw interruption(signal, 'The same command continues.');
    const lock = tryLock(directory);
    if (!('owner' in lock)) return lock;
    await setTimeout(pollMilliseconds);
  }
}

export interface ForeignWait {
  readonly signal?: AbortSignal;
  /** Hears why it waits, once. */
  readonly tell?: (message: string) => void;
  /** Milliseconds without a touch after which an owner counts as dead. Default: 90,000. */
  readonly silent?: number;
}

/** The living process that holds a folder's lock, if there is one. */
export function lockOwner(directory: string): ProcessIdentity | undefined {
  return livingLocks(directory)[0]?.owner;
}

/**
 * Waits until it is clear whether an owner on another machine lives: until its lock is touched, or was not for long
 * enough. A job that is started again elsewhere finds the lock of its killed predecessor. The time of a lock may lie in
 * the future, because the disk's clock was set back; then the lock is removed after `silent` milliseconds without a touch.
 *
 * @throws AG_INTERRUPTED once the signal is aborted
 */
export async function awaitForeignOwner(directory: string, wait: ForeignWait = {}): Promise<void> {
  const { signal, silent = silentMilliseconds, tell } = wait;
  const beat = () => {
    const held = livingLocks(directory).find(({ owner }) => isForeign(owner));
    return held && { ...held, time: lastBeat(held.path) };
  };
  const first = beat();
  if (first === undefined) return;
  const { host = '', pid } = first.owner;
  tell?.(
    `the folder belonged to process ${pid} on ${host.split(' ')[0]}: waiting at most ${Math.ceil(silent / 1000)} s until it is clear whether that still runs`,
  );
  const begun = performance.now();
  while (beat()?.time === first.time) {
    if (signal?.aborted) throw interruption(signal, 'The same command continues.');
    if (performance.now() - begun > silent) removeLock(first.path);
    else await setTimeout(Math.min(10 * pollMilliseconds, silent));
  }
}

/** Writes the lock of this process into a folder that nobody else can see yet. */
export function createFirstLock(directory: string): void {
  createLock(lockPath(directory, 1));
}

/** The lock that `createFirstLock` wrote, once the folder is at its place. */
export function firstLock(directory: string): ProcessLock {
  return heldLock(lockPath(directory, 1));
}

function heldLock(path: string): ProcessLock {
  const timer = setInterval(() => {
    try {
      // The disk dates what is written. Times that a process sets come from its own clock, which may be wrong.
      const file = openSync(path, 'r+');
      try {
        writeSync(file, '{', 0);
      } finally {
        closeSync(file);
      }
    } catch {
      // The folder may have been removed; whoever writes next says so.
    }
  }, beatMilliseconds);
  timer.unref();
  return {
    release: () => {
      clearInterval(timer);
      removeLock(path);
    },
  };
}

/** A lock whose owner lives. */
interface LivingLock {
  readonly path: string;
  readonly owner: ProcessIdentity;
}

function livingLocks(directory: string, numbers = lockNumbers(directory)): LivingLock[] {
  return numbers.flatMap((number) => {
    const path = lockPath(directory, number);
    const owner = readLock(path);
    if (owner === undefined) return [];
    const lives = isForeign(owner) ? diskTime(dirname(path)) - lastBeat(path) < silentMilliseconds : isAlive(owner);
    return lives ? [{ path, owner }] : [];
  });
}

/** Now, as the disk of a folder dates files. The clocks of machines differ, and jump. */
function diskTime(directory: string): number {
  const probe = join(directory, `.writing-clock-${process.pid}`);
  try {
    writeFileSync(probe, '');
    return statSync(probe).mtimeMs;
  } catch {
    // The disk may be read-only. Whoever writes next says so.
    return Date.now();
  } finally {
    rmSync(probe, { force: true });
  }
}

/** Milliseconds since 1970; 0 if the lock is gone. */
function lastBeat(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function lockPath(directory: string, number: number): string {
  return join(directory, `lock.${number}.json`);
}

function lockNumbers(directory: string): number[] {
  return readdirSync(directory)
    .flatMap((name) => lockName.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

/** What has the name of a lock may be a folder. */
function removeLock(path: string): void {
  rmSync(path, { force: true, recursive: true });
}

function createLock(path: string): boolean {
  try {
    writeFileSync(path, `${JSON.stringify({ formatVersion: 1, ...ownIdentity() })}\n`, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Undefined if it is gone, or if its owner died between creating and writing it. A lock is written immediately, so a
 * few attempts are enough.
 */
function readLock(path: string): ProcessIdentity | undefined {
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      const value = JSON.parse(readWholeFileSync(path, longestLock).toString()) as Partial<ProcessIdentity>;
      if (typeof value.pid !== 'number') return undefined;
      const { pid, startTime = null, bootId = null, host } = value;
      return { pid, startTime, bootId, ...(host !== undefined && { host }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    }
    pause(20);
  }
  return undefined;
}

function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
