import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { packageKit } from './package-checks.js';

it.skipIf(process.platform === 'win32')('waits for no writer of a README that is a pipe', async () => {
  const root = mkdtempSync(join(tmpdir(), 'agentgym-package-'));
  writeFileSync(join(root, 'package.json'), '{"name":"plugin-pipe","version":"1.0.0"}');
  execFileSync('mkfifo', [join(root, 'README.md')]);
  const [found] = await packageKit.check({ root, hostVersion: '0.1.0' }, { only: ['documents'] });
  expect(found).toMatchObject({ id: 'documents', message: expect.stringMatching(/README\.md is a pipe, not a file/) });
});
