import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { repository } from '../architecture/source-files.js';

let packed: Promise<string[]> | undefined;

/**
 * Tarballs of the host and of every plugin, made once per process in a new folder. They contain the last build:
 * `prepack` would delete `dist` while other tests use it.
 */
export function packWorkspace(): Promise<string[]> {
  return (packed ??= pack());
}

async function pack(): Promise<string[]> {
  if (!existsSync(join(repository, 'dist', 'cli', 'main.js'))) throw new Error('build first: `npm run build`');
  const folder = await mkdtemp(join(tmpdir(), 'agentgym-packed-'));
  const { stdout } = await promisify(execFile)(
    'npm',
    ['pack', '--workspaces', '--ignore-scripts', '--json', '--pack-destination', folder],
    { cwd: repository, maxBuffer: 2 ** 26, shell: process.platform === 'win32' },
  );
  return (JSON.parse(stdout) as { filename: string }[]).map(({ filename }) => join(folder, filename));
}
