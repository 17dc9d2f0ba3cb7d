import { existsSync } from 'node:fs';

import { expect, it, vi } from 'vitest';

it('gives each host a folder of its own, made when it is asked for and removed at the end of the process', async () => {
  // The module is fresh: it has not created a folder yet.
  vi.resetModules();
  const { testHost } = await import('./test-host.js');
  const before = process.listenerCount('exit');
  const host = testHost();
  expect(process.listenerCount('exit')).toBe(before);
  const folder = host.cacheDirectory;
  expect(existsSync(folder)).toBe(true);
  expect(host.cacheDirectory).toBe(folder);
  expect(testHost().cacheDirectory).not.toBe(folder);
  expect(process.listenerCount('exit')).toBe(before + 1);
  const [remove] = process.listeners('exit').slice(-1);
  remove?.call(process, 0);
  expect(existsSync(folder)).toBe(false);
});
