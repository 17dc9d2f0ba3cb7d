import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { compareRuns, type RunsComparison } from './compare-runs.js';
import { terminalLines } from '../reporting/terminal-blocks.js';
import { comparisonBlocks } from './comparison-blocks.js';
import { writeLabel } from '../runs/run-label.js';
import { journaledRun } from '../runs/fixtures/journaled-run.js';

const runsFolder = () => mkdtempSync(join(tmpdir(), 'agentgym-compare-'));
const success = { measure: 'success', temperature: 0 } as const;
const linesOf = (comparison: RunsComparison) =>
  terminalLines(comparisonBlocks(comparison), { width: 200, colour: false }).join('\n');
const few = { successes: [0, 0] };
const half = { successes: [1, 0] };

// Goes red when runs with different seeds are not paired: p is then 1, and the interval is that of two samples.
it('pairs runs by their tasks, whatever their seeds, and says in what their recipes differ', async () => {
  const folder = runsFolder();
  const runs = [await journaledRun(folder, half), await journaledRun(folder, { ...few, seed: 2, clip: 0.3 })];
  const comparison = await compareRuns([...runs, runs[0]!], success);
  expect(comparison.runs.map((run) => [run.seed, run.steps, run.success!.mean, run.spent['episodes']])).toEqual([
    [1, 4, 0.5, 16],
    [2, 4, 0, 16],
  ]);
  expect(comparison.differences).toEqual([
    { key: 'seed', values: [1, 2] },
    { key: 'algorithm.options.clip', values: [0.2, 0.3] },
  ]);
  const [first, second] = comparison.runs.map(({ id }) => id);
  // scipy.stats.ttest_1samp([-1, 0], 0): t = -1 with one degree of freedom, p = 0.5.
  expect(comparison.comparisons).toMatchObject([{ a: first, b: second, seeds: 1, tasks: 2, design: 'paired' }]);
  expect(comparison.comparisons[0]!.difference.mean).toBe(-0.5);
  expect(comparison.comparisons[0]!.p).toBeCloseTo(0.5, 10);
  const lines = linesOf(comparison);
  expect(lines).toMatch(/algorithm\.options\.clip +0\.2 +0\.3/);
  // Goes red when a reader does not see over how many tasks a difference is.
  expect(lines).toMatch(/difference .* paired over +p +p \(Holm\)\n.* 2 tasks +0\.50 +0\.50\n/);
  expect(lines).toMatch(/test split, temperature 0\..*\n[^]*paired by their ids\.[^]*One seed: the interval covers/);
});

it('compares return and turns, and corrects for the number of pairs', async () => {
  const folder = runsFolder();
  const runs = [half, half, few].map((shape) => journaledRun(folder, shape));
  const turns = await compareRuns(await Promise.all(runs), { ...success, measure: 'turns' });
  expect(turns.runs.map(({ measured }) => measured!.mean)).toEqual([1.5, 1.5, 1.5]);
  const { comparisons } = await compareRuns(await Promise.all(runs), { ...success, measure: 'return' });
  expect(comparisons).toHaveLength(3);
  for (const { p, corrected } of comparisons) expect(corrected).toBeGreaterThanOrEqual(p);
  expect(Math.max(...comparisons.map(({ p, corrected }) => corrected - p))).toBeGreaterThan(0.1);
});

// Goes red when runs with different tests are compared.
it('does not compare runs of different environments, and shows each beside its start', async () => {
  const folder = runsFolder();
  const shape = { ...half, starts: [0, 0] };
  const runs = [await journaledRun(folder, shape), await journaledRun(folder, { ...shape, environment: 'coin' })];
  const comparison = await compareRuns(runs, success);
  const { comparisons, notes } = comparison;
  expect(comparisons).toEqual([]);
  const lines = linesOf(comparison);
  expect(lines).toMatch(/before RL +random +tested on/);
  expect(lines).toMatch(/50\.0 % .* 0\.0 % +– +coin/);
  expect(notes.join()).toContain('differ in the environment itself (`environment.name`)');
  expect(notes.join()).toContain('The runs were tested on different tasks');
});

it('calls runs by their names, and says in short what differs', async () => {
  const folder = runsFolder();
  const runs = [await journaledRun(folder, half), await journaledRun(folder, { ...few, clip: 0.3 })];
  await writeLabel(runs[0]!, { name: 'a good one', tags: [] });
  const comparison = await compareRuns(runs, success);
  expect(comparison.runs.map(({ label }) => label)).toEqual(['a good one', 'clip 0.3']);
  const lines = linesOf(comparison);
  expect(lines).toMatch(/^recipe +a good one +clip 0\.3$/m);
  expect(lines).toMatch(/^clip 0\.3 − a good one +−50\.0/m);
});

it('refuses what cannot be compared, and says why', async () => {
  const folder = runsFolder();
  const [test, validation] = [await journaledRun(folder), await journaledRun(folder, { split: 'validation' })];
  const splits = compareRuns([test, validation], success);
  await expect(splits).rejects.toMatchObject({ code: 'AG_RUNS_INCOMPARABLE', exitCode: 2 });
  await expect(splits).rejects.toThrow(/use different splits: \w+ of test, \w+ of validation/);
  const warm = compareRuns([test, await journaledRun(folder)], { ...success, temperature: 0.5 });
  await expect(warm).rejects.toThrow(/has no final evaluation at temperature 0\.5, only at 0\./);
  await expect(compareRuns([test, test], success)).rejects.toMatchObject({ code: 'AG_COMMAND_USAGE' });
});

it('shows a run without a final evaluation, and compares it with none', async () => {
  const folder = runsFolder();
  const runs = [await journaledRun(folder), await journaledRun(folder, { end: 'failed' })];
  const { runs: shown, comparisons, notes } = await compareRuns(runs, success);
  expect(shown.map((run) => [run.status, run.success === null])).toEqual([
    ['completed', false],
    ['failed', true],
  ]);
  expect(comparisons).toEqual([]);
  expect(notes[0]).toMatch(/is failed and has no final evaluation/);
});
