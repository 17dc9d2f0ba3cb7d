import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { afterEach, describe, expect, it, vi } from 'vitest';

import { guardProgram, ownedGroupCount } from './own-group.js';
import { isAlive, ownIdentity } from './process-identity.js';
import { spawnOwned } from './spawn-owned.js';

const fixture = fileURLToPath(new URL('fixtures/owner.js', import.meta.url));
const hundred = fileURLToPath(new URL('fixtures/hundred-children.js', import.meta.url));
const { bootId } = ownIdentity();
const lives = (pid: number) => isAlive({ pid, startTime: null, bootId });

/** Everything that a test started. It is killed even if the test failed. */
const owners: ChildProcess[] = [];
const known = new Set<number>();
afterEach(() => {
  for (const owner of owners.splice(0)) owner.kill('SIGKILL');
  for (const pid of known) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has already ended, as it should.
    }
  }
  known.clear();
});

/** Starts a process that owns a shell and the shell's sleep. Returns it, and the process ids of the two. */
async function startOwner(how: string): Promise<{ owner: ChildProcess; pids: number[] }> {
  const owner = spawn(process.execPath, [fixture, how], { stdio: ['pipe', 'pipe', 'ignore'] });
  owners.push(owner);
  const [line] = (await once(owner.stdout, 'data')) as [Buffer];
  const pids = String(line).split('\n')[0]!.split(' ').map(Number);
  expect(pids).toHaveLength(2);
  for (const pid of pids) known.add(pid);
  return { owner, pids };
}

async function expectEnd(pids: readonly number[]): Promise<void> {
  await vi.waitFor(() => expect(pids.filter(lives)).toEqual([]), { timeout: 2000, interval: 10 });
}

describe('a child and what it started end with', () => {
  // Mutation: leave out `tell` in ownGroup, and these stay.
  it('a process that is killed with SIGKILL', async () => {
    const { owner, pids } = await startOwner('waits');
    expect(pids.filter(lives)).toEqual(pids);
    owner.kill('SIGKILL');
    await expectEnd(pids);
  });

  // Mutation: leave the gate's `read` out, and some are not guarded yet when their owner dies.
  it.runIf(process.platform === 'linux')('a process that is killed while it starts them', async () => {
    for (let round = 0; round < 5; round++) {
      const storm = `${process.pid}-${round}`;
      const env = { ...process.env, AGENTGYM_TEST_STORM: storm };
      const owner = spawn(process.execPath, [fixture, 'storms'], { stdio: ['pipe', 'pipe', 'ignore'], env });
      owners.push(owner);
      await once(owner.stdout, 'data');
      await new Promise((resolve) => setTimeout(resolve, 20 * Math.random()));
      const marked = () => {
        const found = readdirSync('/proc').filter((name) =>
          processFile(name, 'environ').includes(`AGENTGYM_TEST_STORM=${storm}\0`),
        );
        for (const name of found) known.add(Number(name));
        return found.map(Number);
      };
      expect(marked().filter(lives)).not.toEqual([]);
      owner.kill('SIGKILL');
      await vi.waitFor(() => expect(marked().filter(lives)).toEqual([]), { timeout: 2000, interval: 50 });
    }
  });

  it('a process that is killed with SIGKILL together with its process group', async () => {
    const owner = spawn(process.execPath, [fixture, 'waits'], { stdio: ['pipe', 'pipe', 'ignore'], detached: true });
    owners.push(owner);
    const [line] = (await once(owner.stdout, 'data')) as [Buffer];
    const pids = String(line).split(' ').map(Number);
    for (const pid of pids) known.add(pid);
    process.kill(-owner.pid!, 'SIGKILL');
    await expectEnd(pids);
  });

  it.each(['exits', 'throws'])('a process that %s', async (how) => {
    const { owner, pids } = await startOwner(how);
    const [code] = (await once(owner, 'exit')) as [number];
    expect(code).toBe(how === 'exits' ? 0 : 1);
    await expectEnd(pids);
  });

  it.each(['worker-terminated', 'worker-exits', 'worker-throws'])('a worker thread (%s)', async (how) => {
    const { owner, pids } = await startOwner(how);
    await expectEnd(pids);
    expect([owner.exitCode, owner.signalCode]).toEqual([null, null]);
  });

  it('its own exit, where it leaves something behind', async () => {
    const { stdout, ended } = await spawnOwned('sh', ['-c', 'sleep 300 & echo $!']);
    const pid = Number(await text(stdout));
    known.add(pid);
    expect(await ended).toEqual({ code: 0, signal: null });
    await expectEnd([pid]);
  });

  it('an abort, and kill()', async () => {
    const controller = new AbortController();
    const aborted = await spawnOwned('sleep', ['300'], { signal: controller.signal });
    const killed = await spawnOwned('sh', ['-c', 'sleep 300 & wait']);
    for (const { pid } of [aborted, killed]) known.add(pid);
    controller.abort();
    killed.kill();
    expect(await Promise.all([aborted.ended, killed.ended])).toEqual(Array(2).fill({ code: null, signal: 'SIGKILL' }));
    await expect(spawnOwned('sleep', ['300'], { signal: controller.signal })).rejects.toBe(controller.signal.reason);
  });

  it.runIf(process.platform === 'linux')('its owner even after somebody killed the guard', async () => {
    const { owner, pids } = await startOwner('waits');
    const guards = () =>
      readdirSync('/proc').filter((name) => processFile(name, 'cmdline').includes(`child processes of ${owner.pid}`));
    const [first] = guards();
    process.kill(Number(first), 'SIGKILL');
    await vi.waitFor(() => expect(guards()).toEqual([expect.not.stringMatching(`^${first}$`)]), { timeout: 2000 });
    owner.kill('SIGKILL');
    await expectEnd(pids);
  });
});

// Goes red when a group that was added twice stays after it has ended: its number may belong to another process by
// then.
it.runIf(process.platform !== 'win32')('a guard kills the groups that are left, each once', () => {
  const told = '+ 5\n+ 7\n- 5\n+ 8\n+ 7\n- 9\n- 6\n';
  const program = `kill() { echo "$4"; }\n${guardProgram}`;
  const { stdout } = spawnSync('/bin/sh', ['-c', program, 'guard', '5', '6'], { input: told, encoding: 'utf8' });
  expect(stdout.trim().split('\n')).toEqual(['-8', '-7']);
});

describe('what a child says and is told', () => {
  // Goes red when the output stays in Node.js's own pipes: it drops unread data when a process exits.
  it('is kept until it is read, also of one that has ended', async () => {
    const { stdout, stderr, ended } = await spawnOwned('sh', ['-c', 'echo said; echo complained >&2']);
    await ended;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([await text(stdout), await text(stderr)]).toEqual(['said\n', 'complained\n']);
  });

  it('passes arguments, folder and environment as they are', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'agentgym-owned-'));
    const words = ['$HOME', '"; exit 3', '', '-c', 'a  b\n', '*'];
    const program = 'console.log(JSON.stringify([process.argv.slice(1), process.cwd(), process.env.WORLD]))';
    const { stdout } = await spawnOwned(process.execPath, ['-e', program, '--', ...words], {
      cwd: folder,
      env: { ...process.env, WORLD: 'a "b" $c' },
    });
    expect(JSON.parse(await text(stdout))).toEqual([words, folder, 'a "b" $c']);
  });

  it('loses nothing of ten megabytes through both pipes, and tells the end of its input', async () => {
    const { stdin, stdout, ended } = await spawnOwned('cat');
    const sent = Buffer.alloc(10_000_000, 'one line of many\n');
    stdin.end(sent);
    const chunks: Buffer[] = [];
    for await (const chunk of stdout) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).equals(sent)).toBe(true);
    expect(await ended).toEqual({ code: 0, signal: null });
  });

  it('tells exit codes and signals, and keeps the streams apart', async () => {
    const { stdout, stderr, ended } = await spawnOwned('sh', ['-c', 'echo out; echo err >&2; exit 7']);
    expect(await Promise.all([text(stdout), text(stderr), ended])).toEqual([
      'out\n',
      'err\n',
      { code: 7, signal: null },
    ]);
    const itself = await spawnOwned('sh', ['-c', 'kill -s TERM $$']);
    expect(await itself.ended).toEqual({ code: null, signal: 'SIGTERM' });
  });

  it.runIf(process.platform === 'linux')('gives it three pipes and no child that it did not start', async () => {
    const others = await Promise.all(Array.from({ length: 3 }, () => spawnOwned('sleep', ['300'])));
    const { stdout } = await spawnOwned('sh', ['-c', 'ls -l /proc/$$/fd; cat /proc/$$/task/$$/children']);
    const lines = (await text(stdout)).trim().split('\n');
    for (const other of others) other.kill();
    await Promise.all(others.map(({ ended }) => ended));
    const sockets = lines.filter((line) => line.includes('socket:'));
    expect(sockets.map((line) => / (\d+) ->/.exec(line)?.[1])).toEqual(['0', '1', '2']);
    // The only child is `cat` itself.
    expect(lines.at(-1)!.trim()).toMatch(/^\d+$/);
  });

  it('survives that it ends before it has read everything', async () => {
    const { stdin, ended } = await spawnOwned('true');
    stdin.write(Buffer.alloc(1_000_000));
    expect(await ended).toEqual({ code: 0, signal: null });
  });
});

describe('what cannot be started', () => {
  it.each([
    ['no-such-program', 'ENOENT', 'no-such-program cannot be started: no folder on the PATH has such a program'],
    ['./no-such-program', 'ENOENT', './no-such-program cannot be started: there is no such file'],
    ['', 'ENOENT', 'a command without a name cannot be started: it is empty'],
    [tmpdir(), 'EACCES', `${tmpdir()} is not a file that this user may execute`],
  ])('%s is told by name', async (command, code, message) => {
    await expect(spawnOwned(command)).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
    expect(ownedGroupCount()).toBe(0);
  });

  it('a file without the right to be executed, and a folder that is not there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'agentgym-owned-'));
    const file = join(folder, 'program');
    writeFileSync(file, '#!/bin/sh\n', { mode: 0o644 });
    await expect(spawnOwned('program', [], { env: { PATH: folder } })).rejects.toMatchObject({ code: 'EACCES' });
    await expect(spawnOwned('true', [], { cwd: join(folder, 'no') })).rejects.toThrow(
      `true cannot be started: its working directory ${join(folder, 'no')} is not a folder`,
    );
  });

  it('too many arguments', async () => {
    await expect(spawnOwned('true', Array<string>(40).fill('x'.repeat(100_000)))).rejects.toThrow(
      /^true cannot be started: .*E2BIG/,
    );
  });
});

it('a hundred at once leave no process, and nothing that keeps their owner alive', async () => {
  const owner = spawn(process.execPath, [hundred], { stdio: ['ignore', 'pipe', 'inherit'] });
  owners.push(owner);
  const [printed, [code]] = await Promise.all([text(owner.stdout), once(owner, 'exit') as Promise<[number | null]>]);
  const { pids, ...told } = JSON.parse(printed) as { pids: number[] };
  const hundredTimes = <T>(of: (index: number) => T) => Array.from({ length: 100 }, (_, index) => of(index));
  expect(told).toEqual({ said: hundredTimes((index) => `${index}\n`), codes: hundredTimes(() => 0), left: 0 });
  expect(code).toBe(0);
  expect(new Set(pids).size).toBe(100);
  await expectEnd(pids);
});

function processFile(name: string, file: 'cmdline' | 'environ'): string {
  try {
    return /^\d+$/.test(name) ? readFileSync(`/proc/${name}/${file}`, 'utf8') : '';
  } catch {
    return '';
  }
}
