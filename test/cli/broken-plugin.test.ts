import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { documentOf, freshDataFolders, runCli } from './run-cli.js';

/** A linked plugin, as `agentgym plugins link` leaves it in the data folder. */
function link(data: string, name: string, entry: string): void {
  const root = mkdtempSync(join(tmpdir(), 'agentgym-linked-'));
  const pjson = {
    name,
    version: '1.0.0',
    type: 'module',
    oclif: {},
    agentgym: { apiVersion: 1, plugin: './index.js' },
  };
  writeFileSync(join(root, 'package.json'), JSON.stringify(pjson));
  writeFileSync(join(root, 'index.js'), entry);
  mkdirSync(data, { recursive: true });
  const oclif = { schema: 1, plugins: [{ type: 'link', name, root }] };
  writeFileSync(join(data, 'package.json'), JSON.stringify({ private: true, oclif }));
}

describe('a broken plugin', () => {
  const environment = freshDataFolders();
  link(environment.AGENTGYM_DATA_DIR, 'plugin-broken', 'throw new Error("boom")');

  it('is named, and takes nothing else down', async () => {
    const result = await runCli(['list', 'rewards', '--json'], { environment });
    expect(result.code).toBe(0);
    expect(result.stderr).toContain('Plugin plugin-broken has a problem');
    expect(result.stderr).toContain('boom');
    expect(documentOf(result)['rewards']).not.toEqual([]);
  });

  it('is a problem of the doctor', async () => {
    const result = await runCli(['doctor', '--json'], { environment });
    expect(result.code).toBe(1);
    expect(documentOf(result)).toMatchObject({
      healthy: false,
      subjects: expect.arrayContaining([expect.objectContaining({ subject: 'plugin plugin-broken 1.0.0' })]) as unknown,
    });
  });
});
