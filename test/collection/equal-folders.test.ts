import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

const script = fileURLToPath(new URL('equal-folders.js', import.meta.url));

// Mutation: name an attempt's stream by when it began, in the place of its key, and this goes red. The script alone
// compares all configurations.
it.each(['graph (nano), usual cache', '2 workers'])(
  'leaves the folder that waves leave, collected freely: %s',
  { timeout: 120_000 },
  async (configuration) => {
    const { stdout } = await promisify(execFile)(process.execPath, [script, '--orders', '3', configuration]);
    expect(stdout).toContain('the same under 1 orders of delays');
  },
);
