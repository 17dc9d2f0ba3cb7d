import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { packPlugin } from './pack-plugin.js';

it.skipIf(process.platform === 'win32').each([
  ['tarball', 'plugin.tgz', 'plugin.tgz'],
  ['folder', '', 'package.json'],
] as const)('refuses a pipe in a %s, for which npm would wait', async (type, path, pipe) => {
  const generation = mkdtempSync(join(tmpdir(), 'agentgym-generation-'));
  execFileSync('mkfifo', [join(generation, pipe)]);
  const settings = { registry: 'http://127.0.0.1:9/', signal: AbortSignal.timeout(2000) };
  const packed = packPlugin({ type, path: join(generation, path) }, generation, settings);
  await expect(packed).rejects.toMatchObject({ code: 'AG_FILE_REFUSED', file: join(generation, pipe) });
});
