import { expect, it } from 'vitest';

import { runsOf, type AblationManifest } from '../ablation/ablation-directory.js';
import { expandGrid } from '../ablation/expand-grid.js';
import { tinyRecipe } from '../config/fixtures/tiny-recipe.js';
import type { LoadedRun } from '../runs/load-run.js';
import { composeAblation } from './report-ablation.js';
import type { ReportedRun } from './report-cells.js';

const recipe = tinyRecipe();
const cells = expandGrid({ 'algorithm.name': ['ppo', 'grpo'], 'algorithm.groupSize': [8, 16] }, 'full');
const manifest = {
  formatVersion: 1,
  name: 'grid',
  axis: 'grid',
  question: 'What helps?',
  reference: cells[0]!.id,
  compare: 'all',
  cells: cells.map((cell) => ({ ...cell, recipe, notes: [] })),
  seeds: [1, 2, 3],
  finished: {},
  failed: {},
} as unknown as AblationManifest;

/** A complete run of a cell. It solves `solved + seed` of forty tasks. */
function completeRun(directory: string, seed: number, solved: number): ReportedRun {
  const outcomes = Array.from({ length: 40 }, (_, task) => ({
    task: `task-${task}`,
    attempts: [{ success: (task * 7 + seed) % 40 < solved + seed, return: 0, turns: 1, truncated: false }],
  }));
  const success = { rate: (solved + seed) / 40, low: 0.1, high: 0.9 };
  const evaluation = { split: recipe.evaluation.final.split, temperature: 0, success };
  const loaded = {
    directory,
    status: 'completed',
    halfWritten: [],
    manifest: { status: 'completed', recipe: { ...recipe, seed } },
    result: { spent: {}, evaluation },
    evaluations: [{ player: 'policy', evaluation, outcomes }],
  };
  return { loaded: loaded as unknown as LoadedRun, report: { seed } as ReportedRun['report'], halfWritten: [] };
}

const solved: Record<string, number> = { ppo: 8, grpo: 24 };
const begun = new Map(
  runsOf('/grid', manifest).map(({ directory, seed, cell }) => [
    directory,
    completeRun(directory, seed, solved[cell.id.split('.')[0]!]!),
  ]),
);
const report = composeAblation('/grid', manifest, begun, { version: '1', measure: 'success', temperature: 0 });

// Goes red when the page names cells by their folders.
it('calls cells, runs and differences by the titles of cells', () => {
  expect(report.cells.map(({ id, label }) => [id, label])).toEqual([
    ['ppo.groupSize-8', 'ppo, groupSize 8'],
    ['ppo.groupSize-16', 'ppo, groupSize 16'],
    ['grpo.groupSize-8', 'grpo, groupSize 8'],
    ['grpo.groupSize-16', 'grpo, groupSize 16'],
  ]);
  expect(report.runs[0]).toMatchObject({ cell: 'ppo.groupSize-8', label: 'ppo, groupSize 8, seed 1' });
  const labels = report.cells.map(({ label }) => label);
  expect(labels).toEqual(expect.arrayContaining(report.comparisons.flatMap(({ a, b }) => [a, b])));
});

// Goes red when effects over the grid are omitted, or lose their kind.
it('has main effects and interactions, which only a full grid has', () => {
  expect(report.effects?.map(({ kind, a, b, pairs }) => [kind, a, b, pairs])).toEqual([
    ['main', 'ppo', 'grpo', '3 seeds, 40 tasks'],
    ['main', 'groupSize 8', 'groupSize 16', '3 seeds, 40 tasks'],
    ['interaction', 'grpo', 'groupSize 16', '3 seeds, 40 tasks'],
  ]);
  const [algorithm, size] = report.effects!;
  expect(algorithm!.difference.mean).toBeCloseTo(16 / 40, 12);
  expect(size!.difference.mean).toBe(0);
  expect(algorithm!.corrected).toBeLessThan(0.05);
  const three = { ...manifest, cells: manifest.cells.slice(1) };
  const options = { version: '1', measure: 'success', temperature: 0 } as const;
  expect(composeAblation('/grid', three, begun, options).effects).toBeUndefined();
});
