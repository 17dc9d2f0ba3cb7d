// Tries everything in sandboxes, and prints what happened as JSON. `--user`: as a user without rights.
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { openSandbox } from '../../dist/sandbox/open-sandbox.js';
import { processesIn } from '../../dist/sandbox/namespace-processes.js';
import { attempts, excesses } from './attempts.js';

const folder = mkdtempSync('/tmp/agentgym-attempts-');
const [shared, secret] = [join(folder, 'shared'), join(folder, 'secret.txt')];
for (const path of [shared, join(shared, 'hidden')]) mkdirSync(path);
for (const path of [secret, join(shared, 'hidden.txt'), join(shared, 'hidden/file.txt')])
  writeFileSync(path, 'the secret');
writeFileSync(join(shared, 'open.txt'), 'hello');
for (const path of [folder, shared, join(shared, 'hidden')]) chmodSync(path, 0o755);
process.env.AGENTGYM_ATTEMPT = 'the secret';
process.chdir(folder);

const server = createServer((socket) => socket.end('the secret\n')).listen(0, '127.0.0.1');
const hidden = createServer((socket) => socket.end('the secret\n')).listen('\0agentgym-attempt');
await Promise.all([once(server, 'listening'), once(hidden, 'listening')]);

const isUser = process.argv.includes('--user');
if (isUser) {
  process.setgroups([]);
  process.setgid(65534);
  process.setuid(65534);
}

const { signal } = new AbortController();
const options = {
  read: [shared],
  hide: [join(shared, 'hidden.txt'), join(shared, 'hidden')],
  megabytes: 200,
  diskMegabytes: 5,
  processes: 20,
  env: { SECRET: secret, SHARED: shared, PORT: String(server.address().port) },
};
const results = { attempts: {}, excesses: {} };
const sandbox = await openSandbox(options, signal);
for (const [kind, all] of Object.entries(attempts)) {
  for (const [name, script] of Object.entries(all)) {
    const { stdout } = await sandbox.run('/bin/sh', ['-c', script], { seconds: 5 });
    results.attempts[`${kind}: ${name}`] = stdout;
  }
}
results.honest = await sandbox.run('/bin/sh', [
  '-c',
  'cat $SHARED/open.txt; echo " world" > kept; cat kept >&2; exit 7',
]);
results.kept = Buffer.from((await sandbox.read('kept')) ?? []).toString();
await sandbox.close();
for (const [name, [script]] of Object.entries(excesses)) {
  const own = await openSandbox(options, signal);
  const begun = performance.now();
  const { limit, milliseconds, stdout } = await own.run('/bin/sh', ['-c', script], { seconds: 2, outputBytes: 10_000 });
  const whole = performance.now() - begun;
  const after = await own.run('/bin/echo', ['still here']).then(
    ({ stdout: text }) => text,
    (error) => error.message,
  );
  await own.close();
  results.excesses[name] = { limit, milliseconds, whole, stdout: stdout.slice(0, 20_000), after };
}
server.close();
hidden.close();
if (!isUser) rmSync(folder, { recursive: true });
results.left = (await processesIn('none')).length;
console.log(JSON.stringify(results));
process.exit(0);
