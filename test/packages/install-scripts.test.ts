import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { repository } from '../architecture/source-files.js';

// The install script of onnxruntime-node fetches libraries of hundreds of megabytes from outside the registry. npm runs
// the scripts that the lockfile announces.
it('the lockfile does not announce the install script of onnxruntime-node', () => {
  const lockfile = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { hasInstallScript?: boolean }>;
  };
  const found = lockfile.packages['node_modules/onnxruntime-node'];
  expect(found, 'remove this test if the package is gone').toBeDefined();
  expect(found?.hasInstallScript, 'remove this line of the lockfile').toBeUndefined();
});
