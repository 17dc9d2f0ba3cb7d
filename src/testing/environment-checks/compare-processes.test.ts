import { pathToFileURL } from 'node:url';

import { afterEach, expect, it, vi } from 'vitest';

import { repository } from '../../../test/architecture/source-files.js';
import type { CheckContext } from './check-context.js';
import { compareProcesses, replayInChild } from './compare-processes.js';

afterEach(() => vi.unstubAllEnvs());

it('says so where a process ends before it has read what it is to play', async () => {
  vi.stubEnv('NODE_OPTIONS', '--require=./not-there.cjs');
  const context: CheckContext = {
    settings: { freshProcess: pathToFileURL(`${repository}/package.json`), seed: 1, turns: 1 },
    options: {},
    // More than a pipe holds: the rest is written after the reader has ended.
    sample: [{ task: 'x'.repeat(1 << 20) }],
    freshReplay: () => replayInChild(context),
  } as unknown as CheckContext;
  expect(await compareProcesses(context)).toEqual([expect.stringContaining('a fresh process broke')]);
});
