import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, expect, it, vi } from 'vitest';

import { isAlive, ownIdentity } from '../processes/process-identity.js';
import { awaitForeignOwner } from '../processes/process-lock.js';
import { acquireRunLock, runOwner } from './run-lock.js';

const started: ReturnType<typeof spawn>[] = [];
afterEach(() => started.splice(0).forEach((child) => child.kill('SIGKILL')));

function folderWithLock(owner: object | string): string {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-lock-'));
  writeFileSync(join(folder, 'lock.1.json'), typeof owner === 'string' ? owner : JSON.stringify(owner));
  return folder;
}

it('refuses a second owner while the first lives, and lets it in afterwards', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-lock-'));
  const lock = acquireRunLock(folder);
  expect(() => acquireRunLock(folder)).toThrow(expect.objectContaining({ code: 'AG_RUN_LOCKED', exitCode: 2 }));
  expect(runOwner(folder)?.pid).toBe(process.pid);
  lock.release();
  expect(runOwner(folder)).toBeUndefined();
  acquireRunLock(folder).release();
  expect(readdirSync(folder)).toEqual([]);
});

it('is not blocked by a process that was killed, even while nobody has reaped it', async () => {
  // The shell becomes a `sleep` that does not reap the shell's child. Once killed, that child stays a zombie, which
  // still accepts signals.
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60']);
  started.push(parent);
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const pid = Number(line.toString());
  const { bootId } = ownIdentity();
  expect(isAlive({ pid, startTime: null, bootId })).toBe(true);
  process.kill(pid, 'SIGKILL');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(isAlive({ pid, startTime: null, bootId })).toBe(false);
  const folder = folderWithLock({ pid, startTime: null, bootId });
  acquireRunLock(folder).release();
});

it('is not blocked by a reused process id, another boot, or a lock that its owner had no time to write', () => {
  const own = ownIdentity();
  acquireRunLock(folderWithLock({ ...own, startTime: '1' })).release();
  acquireRunLock(folderWithLock({ ...own, bootId: 'another' })).release();
  acquireRunLock(folderWithLock('')).release();
  expect(() => acquireRunLock(folderWithLock(own))).toThrow(/is working in the run/);
});

it('of another machine blocks while it is touched, and no longer', async () => {
  const folder = folderWithLock({ ...ownIdentity(), host: 'node-7 pid:[1]', pid: 1 });
  const file = join(folder, 'lock.1.json');
  expect(() => acquireRunLock(folder)).toThrow(/Process 1 on node-7 is working/);
  // Whoever comes after a job that was killed waits until it is clear.
  const touched = new Date(Date.now() - 1000);
  setTimeout(() => utimesSync(file, touched, touched), 1200);
  const begun = performance.now();
  await awaitForeignOwner(folder);
  expect(performance.now() - begun).toBeGreaterThan(900);
  const silent = new Date(Date.now() - 120_000);
  utimesSync(file, silent, silent);
  await awaitForeignOwner(folder);
  expect(runOwner(folder)).toBeUndefined();
  acquireRunLock(folder).release();
});

// Goes red when the clocks of two machines, or one that jumps, decide whether an owner lives.
it.each([3, -3])('of another machine blocks while the clock of this one is %i hours off', (hours) => {
  const folder = folderWithLock({ ...ownIdentity(), host: 'node-7 pid:[1]', pid: 1 });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 });
  try {
    expect(() => acquireRunLock(folder)).toThrow(/Process 1 on node-7 is working/);
    const silent = new Date(Date.now() - (hours * 3600 + 120) * 1000);
    utimesSync(join(folder, 'lock.1.json'), silent, silent);
    acquireRunLock(folder).release();
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    vi.useRealTimers();
  }
});

it('of another machine that nobody touches ends, also if its time lies in the future', async () => {
  const folder = folderWithLock({ ...ownIdentity(), host: 'node-7 pid:[1]', pid: 1 });
  const future = new Date(Date.now() + 1e10);
  utimesSync(join(folder, 'lock.1.json'), future, future);
  await awaitForeignOwner(folder, { silent: 200 });
  acquireRunLock(folder).release();
  expect(readdirSync(folder)).toEqual([]);
});

it('of another machine is waited for with a word, and until the signal', async () => {
  const folder = folderWithLock({ ...ownIdentity(), host: 'node-7 pid:[1]', pid: 1 });
  const abort = new AbortController();
  const tell = vi.fn(() => abort.abort(new Error('enough')));
  await expect(awaitForeignOwner(folder, { signal: abort.signal, tell })).rejects.toMatchObject({
    code: 'AG_INTERRUPTED',
  });
  expect(tell.mock.calls).toEqual([[expect.stringMatching(/process 1 on node-7: waiting at most 90 s/)]]);
});

// Goes red, or never ends, when any number counts.
it.each(['9007199254740992', '99999999999999999999', '999999999999999', '0', '07'])(
  'is taken beside a file lock.%s.json that is none',
  (number) => {
    const folder = mkdtempSync(join(tmpdir(), 'agentgym-lock-'));
    writeFileSync(join(folder, `lock.${number}.json`), '');
    const lock = acquireRunLock(folder);
    expect(runOwner(folder)?.pid).toBe(process.pid);
    expect(() => acquireRunLock(folder)).toThrow(/is working in the run/);
    lock.release();
    expect(runOwner(folder)).toBeUndefined();
  },
);

it('is taken where a folder has its name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-lock-'));
  mkdirSync(join(folder, 'lock.1.json'));
  acquireRunLock(folder).release();
  expect(readdirSync(folder)).toEqual([]);
});

it('that is a pipe is none, and is not waited for', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-lock-'));
  execFileSync('mkfifo', [join(folder, 'lock.1.json')]);
  expect(runOwner(folder)).toBeUndefined();
  acquireRunLock(folder).release();
  expect(readdirSync(folder)).toEqual([]);
});

it('is touched while it is held', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const folder = mkdtempSync(join(tmpdir(), 'agentgym-lock-'));
    const lock = acquireRunLock(folder);
    const file = join(folder, 'lock.1.json');
    const old = new Date(0);
    utimesSync(file, old, old);
    vi.advanceTimersByTime(20_000);
    expect(statSync(file).mtimeMs).toBeGreaterThan(1e12);
    lock.release();
    vi.advanceTimersByTime(60_000);
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    vi.useRealTimers();
  }
});
