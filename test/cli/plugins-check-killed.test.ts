// The processes of `agentgym plugins check` run code of strangers, and end with the command.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it, vi } from 'vitest';

import { isAlive, ownIdentity } from '../../src/processes/process-identity.js';
import { bin, freshDataFolders } from './run-cli.js';
import { coinCode, coinEntry, newFolder, packageJson } from './write-plugin.js';

const lives = (pid: number) => isAlive({ pid, startTime: null, bootId: ownIdentity().bootId });

/** Writes its process id, starts another process, and never returns. */
const loop = `
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
const { pid } = spawn('sleep', ['300']);
writeFileSync(new URL('pids.json', import.meta.url), JSON.stringify([process.pid, pid]));
for (;;);`;

it.skipIf(process.platform === 'win32')('ends with SIGKILL, and a plugin that loops ends with it', async () => {
  const root = newFolder({
    'package.json': packageJson({ name: 'agentgym-plugin-coin' }),
    'index.js': coinEntry(),
    'coin.js': coinCode({ top: loop }),
  });
  const file = join(root, 'pids.json');
  const command = spawn(process.execPath, [bin, 'plugins', 'check', root], {
    stdio: 'ignore',
    env: { ...process.env, ...freshDataFolders() },
  });
  let pids: number[] = [];
  try {
    await vi.waitFor(() => expect(existsSync(file) && readFileSync(file, 'utf8')).toContain(']'), { timeout: 20_000 });
    pids = JSON.parse(readFileSync(file, 'utf8')) as number[];
    expect(pids).not.toContain(command.pid);
    expect(pids.filter(lives)).toEqual(pids);
    command.kill('SIGKILL');
    await once(command, 'exit');
    await vi.waitFor(() => expect(pids.filter(lives)).toEqual([]), { timeout: 2000, interval: 10 });
  } finally {
    command.kill('SIGKILL');
    for (const pid of pids.filter(lives)) process.kill(pid, 'SIGKILL');
  }
});
