import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { outsideFiles } from './outside-files.js';

let folder: string;
let server: Server;
const at = (name: string) => join(folder, name);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentgym-files-'));
  await writeFile(at('file'), 'text');
  execFileSync('mkfifo', [at('pipe')]);
  server = createServer().listen(at('socket'));
  await symlink(at('file'), at('link'));
  await symlink(at('pipe'), at('link-to-pipe'));
  await symlink(at('loop'), at('loop'));
  await writeFile(at('sparse'), '');
  await truncate(at('sparse'), 20 * 2 ** 30);
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

/** The error, or a failure if there is none within a second. */
async function refused(work: () => Promise<unknown>): Promise<unknown> {
  const late = sleep(1000).then(() => 'nothing after a second');
  return Promise.race([
    late,
    work().then(
      () => 'no error',
      (error: unknown) => error,
    ),
  ]);
}

/** The result of code that does not wait, as a promise. */
const promised = <T>(work: () => T): Promise<T> => new Promise((resolve) => resolve(work()));

const ways = {
  open: async (path: string) => (await outsideFiles.open(path)).close(),
  read: (path: string) => outsideFiles.read(path),
  readSync: (path: string) => promised(() => outsideFiles.readSync(path)),
};

describe.each(Object.entries(ways))('%s', (_, way) => {
  it.each([
    ['pipe', 'is a pipe, not a file'],
    ['link-to-pipe', 'is a pipe, not a file'],
    ['socket', 'is a socket, not a file'],
    ['.', 'is a folder, not a file'],
  ])('refuses %s without waiting', async (name, problem) => {
    const error = await refused(() => way(at(name)));
    expect(error).toMatchObject({ code: 'AG_FILE_REFUSED', file: at(name) });
    expect((error as Error).message).toContain(problem);
  });

  it.each(['/dev/zero', '/dev/tty', '/dev/null'])('refuses the device %s', async (path) => {
    expect(await refused(() => way(path))).toMatchObject({ message: `${path} is a device, not a file.` });
  });

  it('passes errors of the operating system on', async () => {
    expect(await refused(() => way(at('none')))).toMatchObject({ code: 'ENOENT' });
    expect(await refused(() => way(at('loop')))).toMatchObject({ code: 'ELOOP' });
  });
});

describe.each([
  ['read', outsideFiles.read],
  ['readSync', (path: string, most?: number) => promised(() => outsideFiles.readSync(path, most))],
])('%s', (_, read) => {
  it('reads a file, also behind a link, and a file of the system that says it is empty', async () => {
    expect(String(await read(at('file')))).toBe('text');
    expect(String(await read(at('link'), 4))).toBe('text');
    expect(String(await read('/proc/self/status'))).toContain('Pid:');
  });

  it('refuses a file that is too large before it reads', async () => {
    expect(await refused(() => read(at('sparse')))).toMatchObject({
      code: 'AG_FILE_REFUSED',
      message: `${at('sparse')} has ${20 * 2 ** 30} bytes; at most ${64 * 2 ** 20} are read.`,
    });
    expect(await refused(() => read(at('file'), 3))).toMatchObject({ code: 'AG_FILE_REFUSED' });
    expect(await refused(() => read('/proc/self/status', 10))).toMatchObject({ code: 'AG_FILE_REFUSED' });
  });
});

// Files of sysfs say 4096 bytes and have a few, as a file has that is cut after its size was read.
it('refuses a file that has fewer bytes than its size said', async () => {
  const path = '/sys/devices/system/cpu/online';
  for (const read of [outsideFiles.read, (file: string) => promised(() => outsideFiles.readSync(file))]) {
    expect(await refused(() => read(path))).toMatchObject({
      code: 'AG_FILE_REFUSED',
      message: expect.stringContaining(`${path} became shorter while it was read`) as string,
    });
  }
});
