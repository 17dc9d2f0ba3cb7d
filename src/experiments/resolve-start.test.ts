import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { resolveStart } from './resolve-start.js';

const cache = mkdtempSync(join(tmpdir(), 'agentgym-hub-'));
const start = (from: string) => resolveStart(from, 7, cache);

// Goes red when a name on a hub is taken for a path, or a path for a name.
it('refuses the name of a model that was not pulled, and says how to get it', () => {
  expect(() => start('Qwen/Qwen2.5-0.5B')).toThrow(
    expect.objectContaining({
      code: 'AG_RECIPE_INVALID',
      hint: 'Fetch the model with `agentgym pull Qwen/Qwen2.5-0.5B`. A folder next to the recipe begins with `./`.',
    }) as Error,
  );
  for (const path of ['./models/x', '/models/x', 'runs/a/checkpoints/step-3', 'latest']) expect(start(path)).toBe(path);
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-hub-'));
  mkdirSync(join(folder, 'models'));
  expect(start(join(folder, 'models'))).toBe(join(folder, 'models'));
});

it('puts the seed of the run in the place that the path leaves for it', () => {
  expect(start('./models/{seed}/reader-{seed}')).toBe('./models/7/reader-7');
});

it('finds a pulled model, and none that is half there', () => {
  const folder = join(cache, 'models', 'somebody', 'small');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.json'), '{}');
  expect(() => start('somebody/small')).toThrow(/no model of this name was pulled/);
  writeFileSync(join(folder, 'pulled.json'), '{}');
  expect(start('somebody/small')).toBe(folder);
});
