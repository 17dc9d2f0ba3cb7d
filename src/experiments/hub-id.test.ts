import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { refuseHubId } from './hub-id.js';

// Goes red when a name on a hub is taken for a path, or a path for a name.
it('refuses names of models on a hub, and says how to get the folder', () => {
  expect(() => refuseHubId('Qwen/Qwen2.5-0.5B')).toThrow(
    expect.objectContaining({
      code: 'AG_RECIPE_INVALID',
      hint: 'Download it, for example with `hf download Qwen/Qwen2.5-0.5B --local-dir models/Qwen2.5-0.5B`, and write `policy.from: ./models/Qwen2.5-0.5B`.',
    }) as Error,
  );
  for (const path of ['./models/x', '/models/x', 'runs/a/checkpoints/step-3', 'latest']) refuseHubId(path);
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-hub-'));
  mkdirSync(join(folder, 'models'));
  refuseHubId(join(folder, 'models'));
});
