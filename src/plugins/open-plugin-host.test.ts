import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { openPluginHost } from './open-plugin-host.js';
import { readPluginSource } from './plugin-source.js';

const COIN = `{ kind: 'environment', name: 'coin-flip', summary: 'Guess the side', options: {
  sides: { type: 'integer', minimum: 2, default: 2, description: 'Sides' } }, load: () => import('./coin.js') }`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agentgym-plugins-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes a real package; `files` are by path, package.json comes from the name and the declaration. */
async function plugin(name: string, files: Record<string, string>, agentgym: object = {}) {
  const root = join(folder, name);
  const declaration = { apiVersion: 1, plugin: './index.js', ...agentgym };
  const all = {
    'package.json': JSON.stringify({ name, version: '1.2.3', type: 'module', agentgym: declaration }),
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return readPluginSource(root);
}

const coin = (name: string) =>
  plugin(name, {
    'index.js': `export default [${COIN}];`,
    'coin.js': 'export const open = () => 7;',
  });

describe('openPluginHost', () => {
  it('finds contributions by kind and name and loads them lazily', async () => {
    const host = openPluginHost([await coin('plugin-coin')]);
    const found = await host.find('environment', 'coin-flip');
    expect(found).toMatchObject({ kind: 'environment', name: 'coin-flip', package: 'plugin-coin', version: '1.2.3' });
    expect(found.entry).toMatch(/^file:.*plugin-coin\/index\.js$/);
    const module = (await host.load(found)) as unknown as { open(): number };
    expect(module.open()).toBe(7);
    expect(await host.problems()).toEqual([]);
  });

  it('gives algorithms the options of the groups that they name', async () => {
    const algorithm = (options: string) => ({
      'index.js': `export default [{ kind: 'algorithm', name: 'own', summary: 'Own', options: ${options}, load: () => 0 }];`,
    });
    const own =
      "{ memory: { type: 'number', default: 0.9, description: 'Memory' }, kl: { group: 'kl', without: ['klIn'] } }";
    const host = openPluginHost([
      await plugin('grouped', algorithm(own)),
      await plugin('misspelt', algorithm("{ kl: { group: 'KL' } }")),
    ]);
    const { contribution } = await host.find('algorithm', 'own');
    expect(Object.keys(contribution.options)).toEqual([
      'memory',
      'klCoefficient',
      'klEstimator',
      'klTarget',
      'klHorizon',
    ]);
    expect(await host.problems()).toMatchObject([
      { plugin: 'misspelt', message: expect.stringContaining('[0].options.kl.group: must be one of scaling,') },
    ]);
  });

  it('lists in name order, whatever order the packages come in', async () => {
    const b = await plugin('b', { 'index.js': `export default [${COIN.replace('coin-flip', 'a-game')}];` });
    const a = await coin('a');
    const names = async (sources: (typeof a)[]) =>
      (await openPluginHost(sources).contributions('environment')).map((item) => item.name);
    expect(await names([b, a])).toEqual(['a-game', 'coin-flip']);
    expect(await names([a, b])).toEqual(['a-game', 'coin-flip']);
  });

  it('leaves out broken plugins by name and keeps the others', async () => {
    const host = openPluginHost(
      [
        await plugin('throws', { 'index.js': 'throw new Error("boom");' }),
        await plugin('unbuilt', {}),
        await plugin('hangs', { 'index.js': 'await new Promise(() => {}); export default [];' }),
        await plugin('shapeless', { 'index.js': 'export default { environments: [] };' }),
        await plugin('outside', {}, { plugin: '../coin/index.js' }),
        await plugin('pathless', {}, { plugin: 3 }),
        await plugin('syntax', { 'index.js': 'export default [' }),
        await coin('coin'),
      ],
      { deadlineSeconds: 0.3 },
    );
    expect((await host.contributions('environment')).map((item) => item.package)).toEqual(['coin']);
    const problems = Object.fromEntries((await host.problems()).map(({ plugin: name, message }) => [name, message]));
    expect(problems).toEqual({
      hangs: expect.stringContaining('the import of its entry took longer than 0.3 s'),
      outside: expect.stringContaining('outside its package'),
      pathless: expect.stringContaining('is not a path'),
      shapeless: expect.stringContaining('must be a list, not object'),
      syntax: expect.stringContaining('could not be imported'),
      throws: expect.stringContaining('boom'),
      unbuilt: expect.stringContaining('does not exist'),
    });
  });

  it('runs no code of a plugin for another version of the API', async () => {
    const files = { 'index.js': 'globalThis.agentgymTestRan = true; export default [];' };
    const host = openPluginHost([await plugin('newer', files, { apiVersion: 2 })]);
    expect((await host.problems())[0]?.message).toContain('version 2 of the plugin API');
    expect(globalThis).not.toHaveProperty('agentgymTestRan');
  });

  it('says where the shape of a contribution is wrong', async () => {
    const broken = `[${COIN}, { kind: 'world', name: 'Big World', summary: '', options: {
      depth: { type: 'integer', maximum: 3, default: 4, description: 'Depth' },
      style: { type: 'choice', default: 'a', description: 'Style' } },
      remedies: { Lamp: {}, oil: { summary: 'Oil', plan: 3, apply: () => 0 } } }]`;
    const host = openPluginHost([await plugin('odd', { 'index.js': `export default ${broken};` })]);
    const message = (await host.problems())[0]?.message ?? '';
    for (const place of [
      '[1].kind',
      '[1].name',
      '[1].summary',
      '[1].load',
      '[1].options.depth.default',
      '[1].options.style.choices',
      '[1].remedies.Lamp',
      '[1].remedies.oil.plan',
    ]) {
      expect(message).toContain(place);
    }
    expect(message).not.toContain('[0]');
  });

  it('refuses a name that two plugins claim, naming both, when it is used', async () => {
    const host = openPluginHost([await coin('second'), await coin('first')]);
    await expect(host.find('environment', 'coin-flip')).rejects.toMatchObject({
      code: 'AG_CONTRIBUTION_CONFLICT',
      message: 'first and second both contribute the environment `coin-flip`',
      exitCode: 2,
    });
    expect(await host.problems()).toMatchObject([{ plugin: 'second', message: expect.stringContaining('first') }]);
  });

  it('suggests the nearest name and how to install for an unknown one', async () => {
    const host = openPluginHost([
      await coin('coin'),
      await plugin('throws', { 'index.js': 'throw new Error("boom");' }),
    ]);
    await expect(host.find('environment', 'coinflip')).rejects.toMatchObject({
      code: 'AG_CONTRIBUTION_UNKNOWN',
      exitCode: 2,
      hint: expect.stringMatching(
        /Did you mean `coin-flip`\?.*agentgym plugins install env-coinflip.*throws is left out.*boom/,
      ),
    });
    await expect(host.find('algorithm', 'ppo')).rejects.toMatchObject({
      hint: expect.stringContaining('agentgym plugins install algo-ppo'),
    });
  });

  it('names plugin and phase when a module does not load', async () => {
    const host = openPluginHost([await plugin('half', { 'index.js': `export default [${COIN}];` })]);
    const found = await host.find('environment', 'coin-flip');
    await expect(host.load(found)).rejects.toMatchObject({
      code: 'AG_PLUGIN_FAILED',
      message: expect.stringMatching(/environment `coin-flip` \(half 1\.2\.3\) failed in load: /),
    });
  });
});
