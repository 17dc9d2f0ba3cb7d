import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { installMissing } from './install-missing.js';
import { openPluginHost } from './open-plugin-host.js';
import { readPluginSource } from './plugin-source.js';

async function hostWith(name: string) {
  const root = mkdtempSync(join(tmpdir(), 'agentgym-missing-'));
  mkdirSync(join(root, 'dist'));
  const entry = `export default [{kind: 'environment', name: '${name}', summary: 's', options: {}, load: () => ({})}]`;
  writeFileSync(join(root, 'dist', 'index.js'), entry);
  const agentgym = { apiVersion: 1, plugin: './dist/index.js' };
  writeFileSync(
    join(root, 'package.json'),
    JSON.stringify({ name: 'fixture', version: '1.0.0', type: 'module', agentgym }),
  );
  return openPluginHost([await readPluginSource(root)]);
}

it('installs what is missing, once, by the name of its kind', async () => {
  const asked: string[] = [];
  const host = installMissing(openPluginHost([]), (name) => {
    asked.push(name);
    return hostWith('coin');
  });
  expect((await host.find('environment', 'coin')).name).toBe('coin');
  expect((await host.find('environment', 'coin')).name).toBe('coin');
  expect(asked).toEqual(['env-coin']);
});

it('gives up where the package does not bring the name, and asks for no name that is none', async () => {
  const asked: string[] = [];
  const host = installMissing(openPluginHost([]), (name) => {
    asked.push(name);
    return hostWith('other');
  });
  const unknown = expect.objectContaining({ code: 'AG_CONTRIBUTION_UNKNOWN' }) as Error;
  await expect(host.find('algorithm', 'x')).rejects.toEqual(unknown);
  await expect(host.find('algorithm', 'x')).rejects.toEqual(unknown);
  await expect(host.find('algorithm', '../x')).rejects.toEqual(unknown);
  expect(asked).toEqual(['algo-x']);
});
