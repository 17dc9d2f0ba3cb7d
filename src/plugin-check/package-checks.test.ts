import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { packageChecks } from './package-checks.js';
import { openPackage } from './package-context.js';

it.skipIf(process.platform === 'win32')('waits for no writer of a README that is a pipe', async () => {
  const root = mkdtempSync(join(tmpdir(), 'agentgym-package-'));
  writeFileSync(join(root, 'package.json'), '{"name":"plugin-pipe","version":"1.0.0"}');
  execFileSync('mkfifo', [join(root, 'README.md')]);
  const check = packageChecks.find(({ id }) => id === 'readme');
  await expect(async () => check?.run(openPackage(root, '0.1.0'))).rejects.toMatchObject({ code: 'AG_FILE_REFUSED' });
});
