import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

const script = fileURLToPath(new URL('kill-and-resume.js', import.meta.url));
const recipe = fileURLToPath(new URL('several.yaml', import.meta.url));

// Goes red when the state of an environment's horizon, or of the curriculum, is not in a checkpoint.
it('ends a run in three environments, killed ten times, as one that was left alone', { timeout: 600_000 }, async () => {
  const words = ['--kills', '10', '--seed', '5', '--recipe', recipe];
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...words]);
  expect(stdout).toContain('the same logs and the same weights after 10 kills in all');
});
