import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { tinyRecipe } from '../config/fixtures/tiny-recipe.js';
import { journaledRun } from '../runs/fixtures/journaled-run.js';
import { SmallMlflow } from '../tracking/fixtures/small-mlflow.js';
import { AblationDirectory } from './ablation-directory.js';
import type { AblationResult } from './ablation-result.js';
import { TrackedAblation } from './tracked-ablation.js';

const never = new AbortController().signal;
const pages = { report: () => Promise.resolve('<!doctype html>'), markdown: () => Promise.resolve('| cell |') };

let server: SmallMlflow;
let folder: string;
beforeEach(async () => {
  server = new SmallMlflow();
  await server.listen();
  folder = mkdtempSync(join(tmpdir(), 'agentgym-tracked-ablation-'));
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const success = { rate: 0.5, low: 0.1, high: 0.9 };
const result = {
  formatVersion: 1,
  measure: 'success',
  temperature: 0,
  answer: 'a is as good as b.',
  status: 'completed',
  cells: [
    { id: 'a', seeds: [1], success },
    { id: 'b', seeds: [], success: null },
  ],
} as unknown as AblationResult;

it('is a parent run with the answer, above the runs of its cells, those that finished before included', async () => {
  const path = join(folder, 'ablation');
  const cells = ['a', 'b'].map((id) => ({ id, settings: {}, recipe: tinyRecipe({ name: id }), notes: [] }));
  const plan = { name: 'grid', axis: 'grid', question: 'Which?', cells, reference: 'a', compare: 'all' as const };
  const directory = await AblationDirectory.open(path, plan, cells, [1], { agentgym: '1.2.3' }, ['ablate', 'my grid']);
  const earlier = await journaledRun(folder, { output: join(path, 'cells', 'a', 'seed-1') });

  // While cells run, there is only the parent.
  const tracked = new TrackedAblation(path, server.client(), pages);
  await tracked.send(never);
  const parent = server.run;
  expect(parent).toMatchObject({ name: 'grid', status: 'RUNNING' });
  expect(Object.fromEntries(parent.tags)).toMatchObject({
    'agentgym.question': 'Which?',
    'agentgym.version': '1.2.3',
    'agentgym.command': "agentgym ablate 'my grid'",
  });

  writeFileSync(join(path, 'result.json'), JSON.stringify(result));
  directory.release();
  await tracked.send(never);
  const [, cell, ...others] = server.runs.values();
  expect(others).toEqual([]);
  expect(cell?.tags.get('mlflow.parentRunId')).toBe(parent.id);
  expect(cell?.tags.get('agentgym.cell')).toBe('a');
  expect(cell).toMatchObject({ status: 'FINISHED', name: 'seed-1' });
  expect(parent).toMatchObject({ status: 'FINISHED' });
  expect(parent.tags.get('agentgym.answer')).toBe('a is as good as b.');
  expect(parent.tags.get('mlflow.note.content')).toBe('| cell |');
  expect(parent.points.map(({ key, value, step }) => [key, value, step])).toEqual([
    ['cell/a/success', 0.5, 1],
    ['cell/a/success_low', 0.1, 1],
    ['cell/a/success_high', 0.9, 1],
  ]);
  const stored = [...server.files.keys()].filter((name) => name.startsWith(`0/${parent.id}/`));
  expect(stored.map((name) => name.split('/').at(-1))).toEqual([
    'ablation.json',
    'result.json',
    'answer.md',
    'report.html',
  ]);

  // Another process sends nothing again.
  const points = tracked.sent.points;
  expect(points).toBe(parent.points.length + (cell?.points.length ?? 0));
  const again = new TrackedAblation(path, server.client(), pages);
  await again.send(never);
  expect(again.sent).toEqual({ points: 0, artifacts: 0, refusals: [] });
  expect(earlier).toBe(join(path, 'cells', 'a', 'seed-1'));
});
