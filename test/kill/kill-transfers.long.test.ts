import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

const script = fileURLToPath(new URL('kill-transfers.js', import.meta.url));

// Goes red when `exportModel` or `pullModel` writes into the folder itself.
it('never shows half a folder of pull or export, however often they are killed', { timeout: 120_000 }, async () => {
  const words = ['--kills', '2', '--seed', '2', '--preset', 'pico'];
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...words]);
  expect(stdout).toContain('export: whole after 2 kills');
  expect(stdout).toContain('pull: whole after 2 kills');
});
