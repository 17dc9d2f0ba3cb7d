import { join } from 'node:path';

import { expect, it } from 'vitest';

import { createRandom } from '../random/create-random.js';
import { callPlugin, type PluginOwner } from './call-plugin.js';
import { createHost } from './create-host.js';

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
