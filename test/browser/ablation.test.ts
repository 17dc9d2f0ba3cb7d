// A page of many cells and seeds, rendered from a data document like that of an ablation.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { renderReport } from '../../src/reporting/render-report.js';
import type { ReportCell, ReportData, ReportEffect, ReportRun } from '../../src/reporting/report-data.js';
import { openBrowser, openFile, withoutBrowser } from './open-browser.js';

const seeds = [1, 2, 3];
const names = ['grpo', 'ppo', 'rloo', 'reinforce', 'gspo', 'cispo', 'dpo', 'rebn', 'broken'];
const level = (cell: number) => 0.3 + 0.06 * cell;

const runOf = (cell: number, seed: number): ReportRun => {
  const steps = Array.from({ length: 100 }, (_, i) => i + 1);
  const rate = level(cell) + 0.02 * (seed - 2);
  const interval = { mean: rate, low: rate - 0.05, high: rate + 0.05 };
  return {
    id: `run-${cell}-${seed}`,
    label: `${names[cell]}, seed ${seed}`,
    ...(cell === 0 && seed === 1 && { name: 'first try' }),
    cell: `cell-${cell}`,
    seed,
    status: 'completed',
    startedAt: null,
    summary: [],
    stages: [{ name: 'rl', kind: 'rl', steps: 100, spent: { episodes: 1600 } }],
    series: {
      stage: steps.map(() => 'rl'),
      step: steps,
      runStep: steps,
      episodes: steps.map((step) => step * 16),
      seconds: steps.map((step) => step * (1 + seed / 10)),
      metrics: { 'rollout/success': steps.map((step) => (rate * step) / 100) },
    },
    evaluations: [
      {
        player: 'policy',
        final: true,
        stage: 'rl',
        step: 100,
        runStep: 100,
        split: 'test',
        temperature: 0,
        success: { rate, low: rate - 0.05, high: rate + 0.05, episodes: 200, method: 'wilson' },
        return: interval,
        turns: interval,
        truncated: 0,
        invalid: 0,
        failed: 0,
      },
    ],
    finalTasks: 'test',
    spent: { episodes: 1600, seconds: 120 },
    episodes: [],
    episodesRecorded: 0,
  };
};

const cellOf = (name: string, cell: number): ReportCell => {
  const isBroken = name === 'broken';
  const mean = level(cell);
  return {
    id: `cell-${cell}`,
    label: name,
    settings: { 'algorithm.name': name, 'horizon.turns': [5, 8] },
    seeds,
    success: isBroken ? null : { rate: mean, low: mean - 0.04, high: mean + 0.04 },
    spent: { episodes: isBroken ? 0 : 1600 },
    status: isBroken ? 'failed' : 'completed',
    ...(isBroken && { failure: 'algorithm.clip must be above 0 (AG_OPTION_INVALID)' }),
    ...(name === 'dpo' && { notes: ['algorithm.klCoefficient has no effect here'] }),
  };
};

const effectOf = (mean: number): Omit<ReportEffect, 'kind' | 'a' | 'b'> => ({
  measure: 'success',
  difference: { mean, low: mean - 0.05, high: mean + 0.05 },
  p: 0.002,
  corrected: 0.006,
  design: 'paired',
  pairs: '3 seeds, 1,491 tasks',
  seeds: 3,
});

const data: ReportData = {
  formatVersion: 1,
  kind: 'ablation',
  title: 'algorithms',
  question: 'Which algorithm solves most?',
  answer: 'Ahead is rebn with 72.0 %.',
  notes: ['One cell failed: `algorithm.clip` is 0.'],
  createdAt: '2026-01-31T10:00:00.000Z',
  version: '0.1.0',
  runs: names.flatMap((name, cell) => (name === 'broken' ? [] : seeds.map((seed) => runOf(cell, seed)))),
  cells: names.map(cellOf),
  comparisons: [
    {
      measure: 'success',
      a: 'grpo',
      b: 'rebn',
      difference: { mean: 0.42, low: 0.38, high: 0.46, reservation: 'narrow' },
      p: 0.0004,
      corrected: 0.0112,
      design: 'paired',
      pairs: '3 seeds, 1,491 tasks',
      seeds: 3,
    },
    {
      measure: 'turns',
      a: 'grpo',
      b: 'ppo',
      difference: { mean: -1.5, low: null, high: null },
      p: null,
      corrected: null,
      design: 'unpaired',
      pairs: '200 tasks, not paired',
      seeds: 1,
    },
  ],
  effects: [
    { kind: 'main', a: 'grpo', b: 'rebn', ...effectOf(0.2) },
    { kind: 'interaction', a: 'rebn', b: 'groupSize 16', ...effectOf(-0.1) },
  ],
};

let browser: Browser;
beforeAll(async () => {
  if (!withoutBrowser) browser = await openBrowser();
});
afterAll(() => browser?.close());

it.skipIf(withoutBrowser)('draws cells with their seeds, settings, failures and corrected differences', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'agentgym-page-')), 'ablation.html');
  writeFileSync(file, await renderReport(data));
  for (const width of [1400, 800, 360]) {
    const { page, faults } = await openFile(browser, file, { width });
    const rows = page.locator('#results table').first().locator('tbody tr');
    expect(await rows.count()).toBe(9);
    expect(await rows.first().innerText()).toMatch(/30\.0\s%/);
    expect(await rows.first().innerText()).toContain('26.0 to 34.0');
    expect(await rows.first().locator('.tick').count()).toBe(3);
    expect(await rows.last().innerText()).toContain('algorithm.clip must be above 0');
    expect(await rows.nth(6).innerText()).toContain('has no effect here');
    expect(await page.locator('.note code').innerText()).toBe('algorithm.clip');
    const effects = (await page.locator('#results').innerText()).split('Main effects and interactions')[1]!;
    for (const text of ['rebn − grpo', '+20.0', 'rebn × groupSize 16', '0.006']) expect(effects).toContain(text);
    expect(await page.locator('#all-runs tbody tr').first().innerText()).toContain('first try (run-0-1)');
    const told = await page.locator('#results').innerText();
    const differences = /\nDifferences\n[^]*Main effects/.exec(told)![0];
    for (const text of [
      'rebn − grpo',
      '200 tasks, not paired',
      'except in the rows marked',
      '+42.0',
      '+38.0 to +46.0',
      '< 0.001',
      '0.011',
      '−1.5',
      'no interval',
      'narrow',
    ])
      expect(differences).toContain(text);
    // Goes red when table cells overlap in the narrow layout, in which rows are cards.
    const overflowing = await page
      .locator('#results td')
      .evaluateAll((found) =>
        found.filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.textContent),
      );
    expect(overflowing).toEqual([]);
    // Settings that are equal in all cells are not shown.
    expect(await page.locator('#results table').first().innerText()).not.toContain('[5,8]');
    // Each cell that ran has a curve. At first, the curve with the lowest success is off.
    const toggles = page.locator('.toggle');
    expect(await toggles.count()).toBe(8);
    expect(await page.locator('.toggle[aria-pressed=true]').count()).toBe(7);
    expect(await page.locator('.chart .key').count()).toBe(7);
    expect(await toggles.first().getAttribute('aria-pressed')).toBe('false');
    const explained = page.locator('#curves .explain').first();
    expect(await explained.innerText()).toMatch(/ means of the last values.* 7 of 8 curves are shown;/);
    // The curves that are shown at first have the seven colours; the eighth repeats one, with dashes.
    const dashOf = (which: number) => toggles.nth(which).locator('.swatch line').getAttribute('stroke-dasharray');
    expect([await dashOf(0), await dashOf(1), await dashOf(7)]).toEqual(['6 4', null, null]);
    await toggles.first().click();
    expect(await page.locator('.chart .key').count()).toBe(8);
    expect(await explained.innerText()).not.toContain('curves are shown');
    expect(await page.locator('.chart .key').last().innerText()).toMatch(/rebn 7\d\s%/);
    expect(await page.locator('#episodes').count()).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    expect(faults).toEqual([]);
    await page.close();
  }
});

// Goes red when a table becomes cards although it fits, when cards lose the scale of their bars or waste their rows, or
// when a single seed is drawn over its own mean.
it.skipIf(withoutBrowser)('draws tables where they fit, and cards elsewhere', async () => {
  const one = { runs: data.runs.filter(({ seed }) => seed === 1), cells: data.cells.slice(0, 8) };
  const cells = one.cells.map(({ success, ...cell }) => ({
    ...cell,
    seeds: [1],
    success: success && { ...success, reservation: 'one-seed' as const },
  }));
  const file = join(mkdtempSync(join(tmpdir(), 'agentgym-page-')), 'one-seed.html');
  writeFileSync(file, await renderReport({ ...data, ...one, cells }));
  const { page, faults } = await openFile(browser, file, { width: 800 });
  const table = page.locator('#results table').first();
  expect(await table.locator('thead').isVisible()).toBe(true);
  expect(await table.locator('.tick').count()).toBe(0);
  await page.setViewportSize({ width: 360, height: 900 });
  await expect.poll(() => table.locator('thead').isVisible()).toBe(false);
  const [card] = await table.locator('tbody tr').all();
  const scale = card!.locator('.bar').evaluate((cell) => {
    const { display, content } = getComputedStyle(cell, '::before');
    return [display, content];
  });
  expect(await scale).toEqual(['block', '"success, 0 to 100 %"']);
  const tops = await card!.locator('td').evaluateAll((found) => found.map((cell) => cell.getBoundingClientRect().top));
  // The bar, then the rate with its interval, then seeds and status: each in one row.
  expect(tops.map((top) => [...new Set(tops)].indexOf(top))).toEqual([0, 1, 1, 2, 2]);
  await page.setViewportSize({ width: 800, height: 900 });
  await expect.poll(() => table.locator('thead').isVisible()).toBe(true);
  expect(faults).toEqual([]);
  await page.close();
});

// Goes red when a menu of runs, or a legend, is as wide as its longest name.
it.skipIf(withoutBrowser)('fits a telephone whatever the settings are called', async () => {
  const long = 'schedule scaling-inter, turns [3,4,5,6,7,8], every 55, threshold 0.75';
  const episode = { stage: 'rl', step: 1, runStep: 1, task: 'a', group: 0, member: 0, outcome: 'lost', return: 0, retries: 0, turns: [] } as const; // prettier-ignore
  const runs = data.runs.map((run) => {
    const label = run.cell === 'cell-1' ? `${long}, seed ${run.seed}` : run.label;
    return { ...run, label, episodes: [episode], episodesRecorded: 1 };
  });
  const cells = data.cells.map((cell, index) => (index === 1 ? { ...cell, label: long } : cell));
  const file = join(mkdtempSync(join(tmpdir(), 'agentgym-page-')), 'long.html');
  writeFileSync(file, await renderReport({ ...data, runs, cells }));
  const { page, faults } = await openFile(browser, file, { width: 360 });
  await page.locator('#episodes .row').first().waitFor();
  expect(await page.locator('#episodes select:visible').count()).toBeGreaterThan(1);
  expect(await page.locator('.chart .key').first().innerText()).toContain(long);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  expect(faults).toEqual([]);
  await page.close();
});

// Goes red when a cell of the matrix is read from the wrong place, or does not fit a small screen.
it.skipIf(withoutBrowser)('draws what carries over as a matrix', async () => {
  const rate = (value: number) => ({ mean: value, low: value - 0.05, high: value + 0.05 });
  const transfer = {
    tested: ['cell-0', 'cell-1', 'cell-2'],
    rows: [
      {
        cell: 'cell-0',
        means: [rate(0.9), rate(0.3), rate(0.12)],
        elsewhere: { mean: -0.312, low: -0.4, high: -0.2 },
      },
      { cell: 'cell-1', means: [rate(0.7), rate(0.6), rate(0.25)], elsewhere: { mean: -0.1, low: null, high: null } },
      { cell: 'cell-2', means: [null, null, null], elsewhere: null },
    ],
  };
  const file = join(mkdtempSync(join(tmpdir(), 'agentgym-page-')), 'transfer.html');
  writeFileSync(file, await renderReport({ ...data, transfer }));
  for (const width of [1400, 360]) {
    const { page, faults } = await openFile(browser, file, { width });
    const [matrix, cells] = await page.locator('#results table').all();
    const rows = await matrix!.locator('tbody tr').all();
    const texts = await Promise.all(rows.map((row) => row.locator('th, td').allInnerTexts()));
    const flat = texts.map((row) => row.map((text) => text.replaceAll(/\s+/g, ' ').trim()));
    expect(flat[0]).toEqual([
      'grpo',
      '90.0 % 85.0 to 95.0',
      '30.0 % 25.0 to 35.0',
      '12.0 % 7.0 to 17.0',
      '−31.2 −40.0 to −20.0',
    ]);
    expect(flat[1]!.at(-1)).toBe('−10.0 no interval');
    expect(flat[2]).toEqual(['rloo', '–', '–', '–', '–']);
    // The frame marks the column on which the row was trained.
    expect(await rows[1]!.locator('.own').allInnerTexts()).toEqual([expect.stringContaining('60.0')]);
    const shade = (cell: number) =>
      rows[0]!
        .locator('.shaded')
        .nth(cell)
        .evaluate((node) => getComputedStyle(node).backgroundColor);
    expect(await shade(0)).not.toBe(await shade(2));
    expect(await cells!.locator('tbody tr').count()).toBe(9);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    expect(faults).toEqual([]);
    await page.close();
  }
});
