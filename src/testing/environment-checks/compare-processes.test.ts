import { pathToFileURL } from 'node:url';

import { afterEach, expect, it, vi } from 'vitest';

import { repository } from '../../../test/architecture/source-files.js';
import { compareProcesses } from './compare-processes.js';
import type { EnvironmentContext } from './environment-context.js';

afterEach(() => vi.unstubAllEnvs());

it('says so where a process ends before it has read what it is to play', async () => {
  vi.stubEnv('NODE_OPTIONS', '--require=./not-there.cjs');
  const context = {
    settings: { freshProcess: pathToFileURL(`${repository}/package.json`), seed: 1, turns: 1 },
    options: {},
    // More than a pipe holds: the rest is written after the reader has ended.
    tasks: ['x'.repeat(1 << 20)],
  } as unknown as EnvironmentContext;
  expect(await compareProcesses(context)).toBe('a fresh process: it ended before its work');
});
