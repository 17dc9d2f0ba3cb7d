import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

const script = fileURLToPath(new URL('kill-ablation.js', import.meta.url));
const recipe = fileURLToPath(new URL('small.yaml', import.meta.url));

// Goes red when `runCells` starts runs that have a result, or when `trainInProcess` omits `--resume`.
it('comes to the same after two kills, without a run made twice', { timeout: 300_000 }, async () => {
  const words = ['--kills', '2', '--seed', '2', '--recipe', recipe, '--steps', '10'];
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...words]);
  expect(stdout).toContain('the same cells and numbers after 2 kills, and no run made twice');
});
