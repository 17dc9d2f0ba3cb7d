import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, it } from 'vitest';

const script = fileURLToPath(new URL('contend-for-lock.js', import.meta.url));

// Mutation: if `acquireRunLock` removes a dead lock before it creates its own, all with one name, two contenders
// sometimes win.
it('lets one of many processes take over from a dead owner', async () => {
  for (let round = 0; round < 2; round++) {
    const folder = mkdtempSync(join(tmpdir(), 'agentgym-race-'));
    writeFileSync(join(folder, 'lock.1.json'), JSON.stringify({ pid: 1, startTime: '0', bootId: 'another' }));
    const contenders = Array.from({ length: 5 }, () => spawn(process.execPath, [script, folder]));
    const next = () => Promise.all(contenders.map(async ({ stdout }) => String((await once(stdout, 'data'))[0])));
    try {
      await next();
      const answers = next();
      for (const { stdin } of contenders) stdin.write('go');
      expect((await answers).sort()).toEqual([...Array<string>(4).fill('AG_RUN_LOCKED'), 'won']);
      expect(readdirSync(folder)).toEqual(['lock.2.json']);
    } finally {
      for (const contender of contenders) contender.kill('SIGKILL');
    }
  }
});
