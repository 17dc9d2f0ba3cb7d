import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { runsOf, type AblationManifest } from '../ablation/ablation-directory.js';
import { journaledRun } from '../runs/fixtures/journaled-run.js';
import { loadRun } from '../runs/load-run.js';
import { groupBySettings } from '../reports/report-cells.js';
import { reportRun } from '../reports/report-run.js';
import { rememberComparisons, rememberSummary } from './remember-comparisons.js';

// Goes red when every line of a log repeats all comparisons, and when a run that has ended is not compared.
it('compares cells again when a run ends, not while it goes on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-summary-'));
  const going = await loadRun(await journaledRun(folder, { end: 'interrupted' }));
  const [first, second] = [await loadRun(await journaledRun(folder)), await loadRun(await journaledRun(folder))];
  const cell = (id: string) => ({ id, settings: {}, recipe: first.manifest.recipe, notes: [] });
  const plan = { name: 'n', axis: 'a', question: 'q', cells: [cell('a'), cell('b')], seeds: [1] };
  const manifest = { ...plan, reference: 'a', compare: 'all', finished: {}, failed: {} } as unknown as AblationManifest;
  const places = runsOf(folder, manifest).map((run) => run.directory);
  const summarize = rememberSummary();
  const summary = (...runs: (typeof first)[]) =>
    summarize(folder, manifest, new Map(runs.map((run, i) => [places[i]!, run])), {
      measure: 'success',
      temperature: 0,
    });
  const begun = summary(first, going);
  expect(begun.comparisons).toEqual([]);
  expect(summary(first, { ...going, metrics: [...going.metrics] })).toBe(begun);
  const ended = summary(first, second);
  expect(ended.comparisons).toHaveLength(1);
  expect(summary(first, second)).toBe(ended);
});

it('compares runs that were chosen again when one of them ends', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-summary-'));
  const ended = await loadRun(await journaledRun(folder));
  const folders = await Promise.all([
    journaledRun(folder, { clip: 0.3, end: 'interrupted' }),
    journaledRun(folder, { clip: 0.3 }),
  ]);
  const [going, gone] = [await loadRun(folders[0]), await loadRun(folders[1])];
  const compare = rememberComparisons();
  const compared = (...runs: (typeof ended)[]) =>
    compare(
      groupBySettings(
        runs.map((loaded) => {
          const report = reportRun(loaded, { episodes: [], recorded: 0, halfWritten: [] });
          return { loaded, report, halfWritten: [] };
        }),
      ),
    );
  const before = compared(ended, going);
  expect(before).toEqual([]);
  expect(compared(ended, { ...going, metrics: [] })).toBe(before);
  expect(compared(ended, gone)).toHaveLength(1);
});
