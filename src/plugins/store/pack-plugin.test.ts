import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { packPlugin } from './pack-plugin.js';

it.skipIf(process.platform === 'win32')('refuses a pipe instead of a tarball, for which npm would wait', async () => {
  const generation = mkdtempSync(join(tmpdir(), 'agentgym-generation-'));
  const path = join(generation, 'plugin.tgz');
  execFileSync('mkfifo', [path]);
  const settings = { registry: 'http://127.0.0.1:9/', signal: AbortSignal.timeout(2000) };
  await expect(packPlugin({ type: 'tarball', path }, generation, settings)).rejects.toMatchObject({
    code: 'AG_FILE_REFUSED',
    file: path,
  });
});
