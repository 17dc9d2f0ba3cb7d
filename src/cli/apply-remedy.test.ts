import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { createHost } from '../plugins/create-host.js';
import { openPluginHost, type PluginHost } from '../plugins/open-plugin-host.js';
import { readPluginSource } from '../plugins/plugin-source.js';
import { createRandom } from '../random/create-random.js';
import { applyRemedy } from './apply-remedy.js';

const ENTRY = `
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const lamp = {
  summary: 'A lamp',
  plan: async ({ cacheDirectory }) => (existsSync(join(cacheDirectory, 'lamp')) ? [] : ['light a lamp (1 W)']),
  apply: async ({ cacheDirectory }, tell) => {
    tell('lighting');
    mkdirSync(cacheDirectory, { recursive: true });
    writeFileSync(join(cacheDirectory, 'lamp'), 'on');
  },
};
const sun = { summary: 'The sun', plan: async () => { throw new Error('there is no match'); }, apply: async () => {} };
export default [{
  kind: 'environment', name: 'dark-room', summary: 'A room', options: {}, load: () => ({}), remedies: { lamp, sun },
}];
`;

let root: string;
let host: PluginHost;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'agentgym-remedy-'));
  mkdirSync(join(root, 'plugin'));
  writeFileSync(join(root, 'plugin', 'index.js'), ENTRY);
  const agentgym = { apiVersion: 1, plugin: './index.js' };
  const manifest = { name: 'fixture', version: '1.0.0', type: 'module', agentgym };
  writeFileSync(join(root, 'plugin', 'package.json'), JSON.stringify(manifest));
  host = openPluginHost([await readPluginSource(join(root, 'plugin'))]);
});
afterAll(() => rmSync(root, { recursive: true }));

function dialogue(answer: boolean) {
  const said: string[] = [];
  const asked: string[] = [];
  const say = (line: string) => void said.push(line);
  const confirm = (question: string) => Promise.resolve(asked.push(question) > 0 && answer);
  return { said, asked, parts: { say, confirm } };
}
const settings = () => ({
  random: createRandom(1),
  log: { info: () => undefined, warn: () => undefined },
  signal: new AbortController().signal,
  cacheDirectory: root,
});

it('says what it will do, asks, and does it once', async () => {
  const refused = dialogue(false);
  const before = await applyRemedy('lamp', host, settings(), refused.parts);
  expect(before).toMatchObject({ plan: ['light a lamp (1 W)'], applied: false });
  expect(refused.said).toEqual(['to install lamp, agentgym will', '  light a lamp (1 W)']);
  const folder = createHost(settings(), before.located).cacheDirectory;
  expect(() => readFileSync(join(folder, 'lamp'))).toThrow('ENOENT');

  const agreed = dialogue(true);
  expect(await applyRemedy('lamp', host, settings(), agreed.parts)).toMatchObject({ applied: true });
  expect(agreed.asked).toEqual(['Install lamp?']);
  expect(agreed.said.at(-1)).toBe('lighting');
  expect(readFileSync(join(folder, 'lamp'), 'utf8')).toBe('on');

  const again = dialogue(false);
  expect(await applyRemedy('lamp', host, settings(), again.parts)).toMatchObject({ plan: [], applied: true });
  expect(again).toMatchObject({ asked: [], said: ['lamp is installed'] });
});

it('names what there is, and says what the machine lacks', async () => {
  const { parts } = dialogue(true);
  await expect(applyRemedy('fire', host, settings(), parts)).rejects.toMatchObject({
    code: 'AG_COMMAND_USAGE',
    hint: 'There is: lamp (A lamp), sun (The sun).',
  });
  await expect(applyRemedy('sun', host, settings(), parts)).rejects.toThrow(
    'environment `dark-room` (fixture 1.0.0) failed in plan: there is no match',
  );
});
