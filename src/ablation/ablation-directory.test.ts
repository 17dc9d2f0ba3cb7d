import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { ablationPath } from '../runs/folder-kind.js';
import { tinyRecipe } from '../config/fixtures/tiny-recipe.js';
import { readRunnerOptions } from '../runners/runner-options.js';
import { slurmOptions, slurmRenderer } from '../runners/rendered/slurm.js';
import { AblationDirectory } from './ablation-directory.js';
import type { PlannedAblation } from './plan-ablation.js';
import { renderAblation } from './run-ablation.js';

const cells = [{ id: 'a', settings: {}, recipe: tinyRecipe(), notes: [] }] as const;
const plan = { name: 'a', axis: 'grid', question: 'Which?', cells, reference: 'a', compare: 'all' as const };

// Goes red when the folder exists before its manifest: a process that is killed between them leaves a folder that is
// refused from then on.
it('creates the folder together with its manifest and its lock', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'agentgym-ablation-')), 'ablation');
  const opening = AblationDirectory.open(path, plan, cells, [1], {});
  while (!existsSync(path)) await new Promise((resolve) => setImmediate(resolve));
  expect(existsSync(ablationPath(path))).toBe(true);
  expect(readdirSync(path).sort()).toEqual(['ablation.json', 'cells', 'lock.1.json']);
  (await opening).release();
  expect(readdirSync(path).sort()).toEqual(['ablation.json', 'cells']);
});

it('has an id that no other ablation has, and keeps it when it continues', async () => {
  const root = mkdtempSync(join(tmpdir(), 'agentgym-ablation-'));
  const idOf = async (name: string) => {
    const directory = await AblationDirectory.open(join(root, name, 'grid'), plan, cells, [1], {});
    directory.release();
    return directory.manifest.id;
  };
  const ids = [await idOf('one'), await idOf('other'), await idOf('one')];
  expect(ids[0]).toMatch(/^[a-z0-9]{6}$/);
  expect(ids[2]).toBe(ids[0]);
  expect(ids[1]).not.toBe(ids[0]);
});

it('is not begun if its scheduler refuses its path', async () => {
  const root = mkdtempSync(join(tmpdir(), 'agentgym-ablation-'));
  const planned = { plan, cells, seeds: [1], folder: join(root, 'a\nb') } as unknown as PlannedAblation;
  const renderer = slurmRenderer(readRunnerOptions('slurm', slurmOptions, {}), 1);
  const rendering = renderAblation(planned, { renderer, versions: {}, measure: 'success', temperature: 0 });
  await expect(rendering).rejects.toMatchObject({ code: 'AG_COMMAND_USAGE' });
  expect(readdirSync(root)).toEqual([]);
});
