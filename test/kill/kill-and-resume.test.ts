import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

const script = fileURLToPath(new URL('kill-and-resume.js', import.meta.url));
const recipe = fileURLToPath(new URL('small.yaml', import.meta.url));

// Goes red when `AppendLog` does not cut a log back (`truncateSync`), or when a stage resumes without `progress`.
it('ends a run that was killed three times and resumed as one that was left alone', { timeout: 300_000 }, async () => {
  const words = ['--kills', '3', '--seed', '3', '--recipe', recipe];
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...words]);
  expect(stdout).toContain('the same logs and the same weights after 3 kills in all');
});
