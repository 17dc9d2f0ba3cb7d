import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, inject, it } from 'vitest';

const run = promisify(execFile);

function bundledEnvironments(): string[] {
  const file = join(import.meta.dirname, '../../package.json');
  const { oclif } = JSON.parse(readFileSync(file, 'utf8')) as { oclif: { plugins: string[] } };
  return oclif.plugins.filter((name) => name.startsWith('@agentgym/plugin-env-')).sort();
}

it('the published host is installed from the registry and says what it has', async () => {
  const { bin, folder } = inject('installed');
  const environment = { ...process.env, ...inject('registry').environment };
  const { stdout } = await run(process.execPath, [bin, 'list', 'environments', '--json'], {
    cwd: folder,
    env: environment,
  });
  const { environments } = JSON.parse(stdout) as { environments: { name: string; plugin: string }[] };
  expect([...new Set(environments.map(({ plugin }) => plugin))].sort()).toEqual(bundledEnvironments());
});
