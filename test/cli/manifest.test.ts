import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Plugin } from '@oclif/core';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

it('oclif.manifest.json is what the build makes of the commands: `npm run build`', async () => {
  // Like `oclif manifest`, but without writing the file.
  const plugin = new Plugin({
    root,
    type: 'core',
    ignoreManifest: true,
    errorOnManifestCreate: true,
    respectNoCacheDefault: true,
  });
  await plugin.load();
  const kept = JSON.parse(readFileSync(join(root, 'oclif.manifest.json'), 'utf8')) as unknown;
  expect(kept).toEqual(JSON.parse(JSON.stringify(plugin.manifest)));
});
