import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { expect, inject, it } from 'vitest';

const run = promisify(execFile);

it('the published host is installed from the registry and says what it has', async () => {
  const { bin, folder } = inject('installed');
  const environment = { ...process.env, ...inject('registry').environment };
  const { stdout } = await run(process.execPath, [bin, 'list', 'environments', '--json'], {
    cwd: folder,
    env: environment,
  });
  const { environments } = JSON.parse(stdout) as { environments: { name: string; plugin: string }[] };
  expect(environments.map(({ name }) => name)).toEqual(['guess-number', 'textcraft', 'textworld']);
});
