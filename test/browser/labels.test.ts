// Success by the labels of tasks, on the page of a run.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { renderReport } from '../../src/reporting/render-report.js';
import type { ReportData, ReportEvaluation, ReportRun } from '../../src/reporting/report-data.js';
import { openBrowser, openFile, withoutBrowser } from './open-browser.js';

const success = (rate: number, low: number | null, high: number | null, episodes: number) => {
  return { rate, low, high, episodes, method: 'cluster-bootstrap' as const };
};

const evaluationOf = (player: string, seen: number, unseen: number): ReportEvaluation => ({
  player,
  final: true,
  stage: 'rl',
  step: 1,
  runStep: 1,
  split: 'test',
  temperature: 0,
  success: success((seen + unseen) / 2, 0.3, 0.7, 120),
  return: { mean: 1, low: 0, high: 2 },
  turns: { mean: 1, low: 0, high: 2 },
  truncated: 0,
  invalid: 0,
  failed: 0,
  labels: {
    depth: [1, 10].map((value) => ({ value, tasks: 30, success: success(seen, null, null, 60) })),
    training: [
      { value: 'seen', tasks: 40, success: success(seen, seen - 0.1, seen + 0.1, 80) },
      { value: 'unseen', tasks: 20, success: success(unseen, unseen - 0.2, unseen + 0.2, 40) },
    ],
  },
});

const run: ReportRun = {
  id: 'run',
  label: 'seed 1',
  cell: null,
  seed: 1,
  status: 'completed',
  startedAt: null,
  summary: [],
  stages: [],
  series: { stage: [], step: [], runStep: [], episodes: [], seconds: [], metrics: {} },
  evaluations: [evaluationOf('random', 0.46, 0.46), evaluationOf('policy', 0.731, 0.323)],
  finalTasks: 'test',
  spent: {},
  episodes: [],
  episodesRecorded: 0,
};

const data: ReportData = {
  formatVersion: 1,
  kind: 'run',
  title: 'crafting',
  question: 'Does it carry over?',
  answer: 'No.',
  notes: [],
  createdAt: '2026-01-31T10:00:00.000Z',
  version: '0.1.0',
  runs: [run],
  cells: [],
  comparisons: [],
};

let browser: Browser;
beforeAll(async () => {
  if (!withoutBrowser) browser = await openBrowser();
});
afterAll(() => browser?.close());

it.skipIf(withoutBrowser)('shows the players on the tasks of each value of a label', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'agentgym-page-')), 'run.html');
  writeFileSync(file, await renderReport(data));
  for (const width of [1400, 360]) {
    const { page, faults } = await openFile(browser, file, { width });
    expect(await page.locator('#results h3').allInnerTexts()).toEqual([
      'Tasks by depth (2 values)',
      'Tasks by training (2 values)',
    ]);
    const tables = page.locator('#results table');
    expect(await tables.count()).toBe(3);
    const textOf = async (table: number) =>
      (await tables.nth(table).locator('tbody tr').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
    expect(await textOf(1)).toHaveLength(4);
    const training = await textOf(2);
    expect(training[1]).toMatch(/^(training )?seen .*trained .*73\.1 % .*63\.1 to 83\.1 .*80 .*40$/);
    expect(training[3]).toMatch(/unseen .*trained .*32\.3 % .*12\.3 to 52\.3 .*40 .*20$/);
    expect(training.map((text) => /random|trained/.exec(text)![0])).toEqual(['random', 'trained', 'random', 'trained']);
    expect(await tables.nth(2).locator('tr.emphasis').count()).toBe(2);
    const overflowing = await page
      .locator('#results td')
      .evaluateAll((found) =>
        found.filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.textContent),
      );
    expect(overflowing).toEqual([]);
    expect(faults).toEqual([]);
    await page.close();
  }
});

// Goes red when a folded table keeps the shape that it had without a width.
it.skipIf(withoutBrowser)('fits a long table when it is unfolded', async () => {
  const depths = Array.from({ length: 20 }, (_, i) => ({ value: i + 1, tasks: 3, success: success(0.5, 0.3, 0.7, 3) }));
  const evaluations = [{ ...evaluationOf('policy', 0.5, 0.5), labels: { depth: depths } }];
  const file = join(mkdtempSync(join(tmpdir(), 'agentgym-page-')), 'folded.html');
  writeFileSync(file, await renderReport({ ...data, runs: [{ ...run, evaluations }] }));
  const { page, faults } = await openFile(browser, file, { width: 360 });
  await page.locator('#results summary').click();
  await expect.poll(() => page.locator('#results details thead').isVisible()).toBe(false);
  expect(await page.locator('#results details tr:visible').count()).toBe(20);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  expect(faults).toEqual([]);
  await page.close();
});

// Goes red when the page folds what the terminal always shows.
it.skipIf(withoutBrowser)('shows seen and unseen tasks apart, however few they are', async () => {
  const few = [
    { value: 'seen', tasks: 4, success: success(0.9, 0.5, 1, 4) },
    { value: 'unseen', tasks: 3, success: success(0.2, 0, 0.6, 3) },
  ];
  const evaluations = [{ ...evaluationOf('policy', 0.5, 0.5), labels: { depth: few, training: few } }];
  const file = join(mkdtempSync(join(tmpdir(), 'agentgym-page-')), 'few.html');
  writeFileSync(file, await renderReport({ ...data, runs: [{ ...run, evaluations }] }));
  const { page, faults } = await openFile(browser, file);
  expect(await page.locator('#results summary').allInnerTexts()).toEqual(['Tasks by depth (2 values)']);
  expect(await page.locator('#results h3').allInnerTexts()).toEqual(['Tasks by training (2 values)']);
  expect(faults).toEqual([]);
  await page.close();
});

// Goes red when the seeds of a setting are not averaged, or when the mean gets the interval of one seed.
it.skipIf(withoutBrowser)('shows each setting of a comparison by label, as the mean over its seeds', async () => {
  const policy = (seen: number, unseen: number) => [{ ...evaluationOf('policy', seen, unseen), player: 'policy' }];
  const member = (id: string, cell: string, seen: number, unseen: number): ReportRun => {
    return { ...run, id, label: id, cell, evaluations: policy(seen, unseen) };
  };
  const cell = (id: string) => {
    const success = { rate: 0.5, low: 0.4, high: 0.6 };
    return { id, label: id, settings: {}, seeds: [1, 2], success, spent: {}, status: 'completed' as const };
  };
  const runs = [member('a1', 'a', 0.8, 0.4), member('a2', 'a', 0.6, 0.2), member('b1', 'b', 0.5, 0.1)];
  const file = join(mkdtempSync(join(tmpdir(), 'agentgym-page-')), 'runs.html');
  writeFileSync(file, await renderReport({ ...data, kind: 'comparison', runs, cells: [cell('a'), cell('b')] }));
  const { page, faults } = await openFile(browser, file);
  const rows = await page.locator('#results table').last().locator('tbody tr').allInnerTexts();
  const flat = rows.map((text) => text.replaceAll(/\s+/g, ' '));
  expect(flat[0]).toMatch(/seen a .*70\.0 % no interval 160 40$/);
  expect(flat[1]).toMatch(/seen b .*50\.0 % 40\.0 to 60\.0 80 40$/);
  expect(flat[2]).toMatch(/unseen a .*30\.0 % no interval/);
  expect(faults).toEqual([]);
  await page.close();
});
