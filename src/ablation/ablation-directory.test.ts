import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { ablationPath } from '../runs/folder-kind.js';
import { tinyRecipe } from '../config/fixtures/tiny-recipe.js';
import { AblationDirectory } from './ablation-directory.js';

// Goes red when the folder exists before its manifest: a process that is killed between them leaves a folder that is
// refused from then on.
it('creates the folder together with its manifest and its lock', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'agentgym-ablation-')), 'ablation');
  const cells = [{ id: 'a', settings: {}, recipe: tinyRecipe(), notes: [] }];
  const plan = { name: 'a', axis: 'grid', question: 'Which?', cells, reference: 'a', compare: 'all' as const };
  const opening = AblationDirectory.open(path, plan, cells, [1], {});
  while (!existsSync(path)) await new Promise((resolve) => setImmediate(resolve));
  expect(existsSync(ablationPath(path))).toBe(true);
  expect(readdirSync(path).sort()).toEqual(['ablation.json', 'cells', 'lock.1.json']);
  (await opening).release();
  expect(readdirSync(path).sort()).toEqual(['ablation.json', 'cells']);
});
