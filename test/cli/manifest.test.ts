import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Plugin } from '@oclif/core';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

// Like `oclif manifest`, but without writing the file.
const plugin = new Plugin({
  root,
  type: 'core',
  ignoreManifest: true,
  errorOnManifestCreate: true,
  respectNoCacheDefault: true,
});
await plugin.load();

it('oclif.manifest.json is what the build makes of the commands: `npm run build`', () => {
  const kept = JSON.parse(readFileSync(join(root, 'oclif.manifest.json'), 'utf8')) as unknown;
  expect(kept).toEqual(JSON.parse(JSON.stringify(plugin.manifest)));
});

// oclif shows `exclusive` flags as alternatives: with three of them, a reader takes two for alternatives that may be used
// together, such as `train --check --name`.
it('the usage of a command shows alternatives in pairs', () => {
  const groups = Object.entries(plugin.manifest.commands).flatMap(([id, { flags }]) =>
    Object.values(flags).map((flag) => [id, flag.name, flag.exclusive ?? []] as const),
  );
  expect(groups.filter(([, , others]) => others.length > 1)).toEqual([]);
});
