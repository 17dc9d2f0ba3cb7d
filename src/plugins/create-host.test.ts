import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import type { World } from '../contracts/environment.js';
import { createRandom } from '../random/create-random.js';
import { callPlugin, type PluginOwner } from './call-plugin.js';
import { createEnvironmentHost, createHost } from './create-host.js';

const coin: PluginOwner = { kind: 'environment', name: 'coin', package: '@a/plugin-coin', version: '1.0.0' };

it('gives each contribution its own stream, voice and cache folder', () => {
  const lines: string[] = [];
  const log = { info: (line: string) => void lines.push(line), warn: (line: string) => void lines.push(line) };
  const settings = { random: createRandom(1), log, signal: new AbortController().signal, cacheDirectory: '/cache' };
  const host = createHost(settings, coin);
  const draw = (owner: PluginOwner) => createHost(settings, owner).random.uniform();
  expect(draw(coin)).toBe(draw(coin));
  expect(draw(coin)).not.toBe(draw({ ...coin, kind: 'reward' }));
  host.log.info('ready');
  host.log.warn('late');
  expect(lines).toEqual(['coin: ready', 'coin: late']);
  expect(host.cacheDirectory).toBe(join('/cache', 'plugins', '@a', 'plugin-coin'));
});

it('opens data sets for worlds, with an index in the cache folder of the plugin', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agentgym-host-'));
  const log = { info: () => {}, warn: () => {} };
  const host = createEnvironmentHost({ log, signal: new AbortController().signal, cacheDirectory: folder }, coin);
  const files = join(folder, 'sums.jsonl');
  const rows = Array.from({ length: 40 }, (_, n) => ({ question: `${n} + 1`, answer: n + 1, unit: n % 4 }));
  await writeFile(files, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const share = { of: 'train', share: 0.3 };
  const data = await host.openDataSet({
    files,
    columns: { question: 'string', answer: 'number' },
    splits: { train: 'train', validation: share, test: share },
    cluster: 'unit',
  });
  // What a world needs of it is what it has, with the types of its columns.
  const world: Pick<World, 'splits' | 'about' | 'close' | 'materials'> = { ...data, materials: data.files };
  const id = await world.splits.test!.id(0);
  const { question, answer } = await data.row(id);
  expect(question).toBe(`${answer - 1} + 1`);
  expect(await world.about?.(id)).toEqual({ cluster: String((answer - 1) % 4) });
  await world.close?.();
  expect(await readdir(join(folder, 'plugins', '@a', 'plugin-coin', 'data-sets'))).toHaveLength(2);
  await rm(folder, { recursive: true });
});

it('wraps what a plugin throws once, and lets interruptions pass', async () => {
  const fail = (error: Error) => callPlugin(coin, 'create', () => Promise.reject(error));
  const wrapped = (await fail(new Error('no data')).catch((error: unknown) => error)) as Error;
  expect(wrapped).toMatchObject({
    code: 'AG_PLUGIN_FAILED',
    message: 'environment `coin` (@a/plugin-coin 1.0.0) failed in create: no data',
  });
  await expect(fail(wrapped)).rejects.toBe(wrapped);
  const interruption = new DOMException('stopped', 'AbortError');
  await expect(fail(interruption)).rejects.toBe(interruption);
});
