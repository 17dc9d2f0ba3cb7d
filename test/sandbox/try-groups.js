// Goes beyond limits of sandboxes that have control groups, and prints a line of JSON. `user`: as a user without rights.
import { existsSync, readdirSync } from 'node:fs';

import { delegatedGroup } from '../../dist/sandbox/control-group.js';
import { openSandbox } from '../../dist/sandbox/open-sandbox.js';

const [, , who] = process.argv;
if (who === 'user') {
  process.setgroups([]);
  process.setgid(65534);
  process.setuid(65534);
}
const delegated = await delegatedGroup();
const groups = () =>
  existsSync(delegated.folder ?? '') ? readdirSync(delegated.folder).filter((name) => name.startsWith('sandbox-')) : [];

const sandbox = await openSandbox({ megabytes: 50, diskMegabytes: 30, processes: 12 }, new AbortController().signal);
const open = groups().length;
const run = async (script) => {
  const { code, limit, stderr, stdout } = await sandbox.run('/bin/sh', ['-c', script], { seconds: 100 });
  return { code, limit, said: `${stdout}${stderr}`.slice(0, 200) };
};
const tried = {
  // Its last line has no end, so the second program keeps all of it.
  memory: await run('head -c 300000000 /dev/zero | tail -n 1 | wc -c'),
  disk: await run('head -c 25000000 /dev/zero > file && wc -c < file'),
  both: await run('head -c 25000000 /dev/zero | tail -n 1 | wc -c'),
  processes: await run('for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do sleep 100 & done; wait'),
  caught: await run('(for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do sleep 100 & done) 2>/dev/null; exit 0'),
  few: await run('for i in 1 2 3 4 5 6; do sleep 0.01 & done; wait; echo done'),
  left: await run('setsid sleep 100 & echo left'),
  alone: await run('ls /proc | grep -c "^[0-9]"'),
};
await sandbox.close();
process.stdout.write(`\nTRIED ${JSON.stringify({ who, delegated, open, tried, closed: groups().length })}\n`);
