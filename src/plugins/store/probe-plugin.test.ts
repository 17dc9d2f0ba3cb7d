import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { refusePackageName } from './check-package.js';
import { probePlugin } from './probe-plugin.js';

function pluginOf(entry: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-probe-'));
  const json = { name: 'fixture', version: '1.0.0', type: 'module', agentgym: { apiVersion: 1, plugin: './index.js' } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(json));
  writeFileSync(join(folder, 'index.js'), entry);
  return folder;
}

const probe = (entry: string) =>
  probePlugin(pluginOf(entry), { name: 'fixture', version: '1.0.0' }, new AbortController().signal);

// Goes red when the probe answers right after the import: a later error of the plugin would then end every command.
it('refuses a plugin that throws in a timer after its import, and takes one that does not', async () => {
  await expect(
    probe('setTimeout(() => { throw new Error("too late"); }, 50); export default [];'),
  ).rejects.toMatchObject({
    code: 'AG_PLUGIN_REFUSED',
    message: expect.stringMatching(/it throws an uncaught error after the import: too late/) as unknown,
  });
  expect(await probe('setTimeout(() => undefined, 50); export default [];')).toEqual([]);
});

it.each(['../../../x', '..', '.x', 'a/b', '/x', 'a b', '', 3, undefined])('refuses the name %s', (name) => {
  expect(() => refusePackageName(name, 'a.tgz')).toThrow(expect.objectContaining({ code: 'AG_PLUGIN_REFUSED' }));
});

it.each(['plugin', '@scope/plugin-env.x', 'Old_Name', '~x'])('takes the name %s', (name) => {
  expect(() => refusePackageName(name, 'a.tgz')).not.toThrow();
});
