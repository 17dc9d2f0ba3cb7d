import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

import { isLong } from '../long.js';

const script = fileURLToPath(new URL('equal-folders.js', import.meta.url));

// Goes red when the stream of an attempt is named by its start instead of its key. Only the script compares all
// configurations.
it.each([...(isLong ? ['graph (nano), usual cache'] : []), '2 workers'])(
  'leaves the folder that waves leave, collected freely: %s',
  { timeout: 120_000 },
  async (configuration) => {
    const { stdout } = await promisify(execFile)(process.execPath, [script, '--orders', '3', configuration]);
    expect(stdout).toContain('the same under 1 orders of delays');
  },
);
