import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { diagnose } from './diagnose.js';

// Goes red when `doctor` shows "ok" beside an engine that does not work.
it('calls an engine that is not installed a note, with the command that installs it', async () => {
  const found = await diagnose({ engineFolder: mkdtempSync(join(tmpdir(), 'agentgym-engines-')), quick: true });
  for (const [name, package_] of [
    ['CUDA engine', 'cuda'],
    ['TensorFlow engine', 'tensorflow'],
  ]) {
    expect(found).toContainEqual({
      level: 'note',
      message: `${name}: not installed`,
      hint: `Install it: agentgym doctor --fix ${package_}`,
    });
  }
});
