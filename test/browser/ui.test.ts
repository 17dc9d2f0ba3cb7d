// The pages of `agentgym ui` in a real browser during a real training run. Needs the build and a Chromium.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';

import { bin, freshDataFolders } from '../cli/run-cli.js';
import { runWarm } from '../cli/warm-cli.js';
import { longIt } from '../long.js';
import { openBrowser, openFile, withoutBrowser, type View } from './open-browser.js';
import { recipe } from './trained-run.js';

const token = 'a-token-for-the-tests';

/** A process of the command line that keeps running. `line` waits for its output. */
function start(args: readonly string[], cwd: string, environment: Readonly<Record<string, string>> = {}) {
  const folders = freshDataFolders();
  const child = spawn(process.execPath, [bin, ...args], {
    cwd,
    env: { ...process.env, ...folders, NODE_ENV: 'production', AGENTGYM_UI_TOKEN: token, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  return {
    child,
    ended,
    output: () => output,
    async line(pattern: RegExp): Promise<string> {
      const found = () => pattern.exec(output)?.[0] ?? Promise.reject(new Error(output));
      return vi.waitFor(found, { timeout: 20_000 });
    },
    remove: () => rmSync(folders.AGENTGYM_DATA_DIR, { recursive: true, force: true }),
  };
}

const soon = { timeout: 15_000, interval: 100 };

// Live pages change while they are read: on a busy machine a step can come too late.
describe.skipIf(withoutBrowser)('agentgym ui', { retry: 2 }, () => {
  const cwd = mkdtempSync(join(tmpdir(), 'agentgym-ui-'));
  const started: ReturnType<typeof start>[] = [];
  let browser: Browser;
  let url: URL;
  let server: ReturnType<typeof start>;

  const serve = async (port = '0') => {
    const made = start(['ui', '--port', port], cwd);
    started.push(made);
    return { made, url: new URL(await made.line(/http:\/\/\S+/)) };
  };
  const brake = join(cwd, 'milliseconds.txt');
  /**
   * From now on each training episode takes at least this long: the run waits, without computing, while the test looks
   * at it.
   */
  const slowDown = (milliseconds: number) => writeFileSync(brake, String(milliseconds));
  const speedUp = () => rmSync(brake, { force: true });
  const train = (...sets: string[]) => {
    const flags = sets.flatMap((set) => ['--set', set]);
    const made = start(['train', 'recipe.yaml', ...flags], cwd);
    started.push(made);
    return made;
  };
  const stop = async ({ child, ended }: { child: ChildProcess; ended: Promise<number | null> }) => {
    child.kill('SIGINT');
    return ended;
  };

  beforeAll(async () => {
    writeFileSync(join(cwd, 'recipe.yaml'), recipe.replace('guess-number', 'slow-game'));
    const dependencies = { 'agentgym-slow-game': '*' };
    writeFileSync(join(cwd, 'package.json'), JSON.stringify({ private: true, dependencies }));
    mkdirSync(join(cwd, 'node_modules'));
    symlinkSync(join(import.meta.dirname, 'slow-game'), join(cwd, 'node_modules/agentgym-slow-game'));
    browser = await openBrowser();
    const first = await runWarm(['train', 'recipe.yaml', '--set', 'name=earlier'], { cwd });
    expect(first.code, first.stderr).toBe(0);
    ({ made: server, url } = await serve());
  }, 120_000);
  // Stops all runs, so that a retry does not take a run of a failed attempt for its own.
  afterEach(async () => {
    speedUp();
    for (const made of started) if (made !== server && made.child.exitCode === null) await stop(made);
  });
  afterAll(async () => {
    if (server?.child.exitCode === null) await stop(server);
    for (const made of started) made.remove();
    await browser?.close();
  });

  /** Opens a page for a test, and checks afterwards that it did nothing wrong. */
  async function visit(
    path: string,
    { width = 1400, colorScheme = 'light' }: View,
    look: (page: Page, faults: string[]) => Promise<void>,
  ): Promise<void> {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    const faults: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => faults.push(`exception: ${error.message}`));
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== url.origin) faults.push(`request: ${request.url()}`);
    });
    try {
      const address = new URL(path, url);
      address.searchParams.set('token', token);
      await page.goto(address.href);
      await look(page, faults);
      expect(faults).toEqual([]);
    } finally {
      await page.close();
    }
  }

  // Goes red when a section is redrawn while the reader has something open in it, or when updates do not arrive.
  it('follows a run from its start to its end, and loses nothing of what the reader does', async () => {
    await visit('/', {}, async (page) => {
      const rows = page.locator('.run');
      // A retry finds the runs of earlier attempts.
      await expect.poll(() => rows.count(), soon).toBeGreaterThan(0);
      const others = await rows.count();
      await page.locator('.pick input').first().check();
      slowDown(300);
      const training = train('stages.rl.steps=100', 'evaluation.every=50', 'record.episodes=2', 'name=living');
      await expect.poll(() => rows.first().innerText(), soon).toMatch(/living[\s\S]*running/);
      expect(await page.title()).toContain('1 running');
      // The selected run stays selected, although a new row is above it.
      expect(
        await page.locator('.pick input').evaluateAll((boxes) => boxes.map((box) => (box as HTMLInputElement).checked)),
      ).toEqual([false, true, ...Array<boolean>(others - 1).fill(false)]);
      await expect.poll(() => page.locator('.load').innerText(), soon).toMatch(/\d+\s%\sof \d+ cores[\s\S]*GB of/);
      if (process.platform === 'linux') {
        await expect.poll(() => page.locator('.load').innerText(), soon).toMatch(/training [\d.]+ cores, \d+ MB/);
      }
      await rows.first().locator('a').click();

      const status = page.locator('.overview .status');
      await expect.poll(() => status.innerText(), soon).toBe('running');
      expect(await page.locator('nav .live').innerText()).toBe('live');
      await page.locator('#episodes .row').first().waitFor();
      // The page must jump: the next update would interrupt a smooth scroll.
      await page.locator('nav .links a', { hasText: 'Episodes' }).click();
      const atEpisodes = () => page.evaluate(() => document.querySelector('#episodes')!.getBoundingClientRect().top);
      expect(await atEpisodes()).toBeLessThan(200);
      // Charts below the screen are drawn when they become visible.
      await page.locator('.plot').first().scrollIntoViewIfNeeded();
      await page.locator('.plot svg').first().waitFor();

      await page.locator('.choice span', { hasText: 'per episode' }).click();
      await page.locator('#episodes select[aria-label=Stage]').selectOption('rl');
      await page.locator('.episodes').focus();
      await page.keyboard.press('Home');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('t');
      const token = page.locator('.episode .token[tabindex="0"]').first();
      await token.focus();
      await page.keyboard.press('ArrowRight');
      const opened = () => page.locator('.episode-head h3').first().innerText();
      const kept = async () => ({
        task: await opened(),
        readout: await page.locator('.readout').innerText(),
        stage: await page.locator('#episodes select[aria-label=Stage]').inputValue(),
        axis: await page.getByRole('group', { name: 'Horizontal axis' }).locator('input:checked').inputValue(),
        measure: await page.locator('#episodes .choice input:checked').inputValue(),
        focus: await page.evaluate(() => document.activeElement?.className),
      });
      // Marks the focused node: later it must be the same node, not a similar one.
      await page.evaluate(() => document.activeElement!.setAttribute('data-mark', 'here'));
      const place = () =>
        page.evaluate(() => Math.round(document.querySelector('[data-mark]')!.getBoundingClientRect().top));
      const [before, top] = [await kept(), await place()];
      const episodes = async () =>
        Number(
          ((await page.locator('#episodes [role=status]').innerText()).match(/of ([\d,]+)/)?.[1] ?? '0').replace(
            ',',
            '',
          ),
        );
      const [held, plot] = [await episodes(), page.locator('.plot').first()];
      const described = () => plot.getAttribute('aria-label');
      const curve = await described();
      await expect.poll(episodes, soon).toBeGreaterThan(held + 16);
      await expect.poll(described, soon).not.toBe(curve);
      expect(await kept()).toEqual(before);
      expect(Math.abs((await place()) - top)).toBeLessThanOrEqual(2);

      // A cursor moved by keys stays at its position on the axis while the axis grows.
      const cursor = page.locator('.chart .where');
      const moveCursor = async () => {
        await plot.focus();
        await page.keyboard.press('Home');
        await page.keyboard.press('ArrowRight');
        return cursor.count();
      };
      // In a plot of one point the cursor cannot move, so the test waits for more points.
      await expect.poll(moveCursor, soon).toBeGreaterThan(0);
      const where = () => cursor.first().innerText();
      const [at, grown] = [await where(), await episodes()];
      await expect.poll(episodes, soon).toBeGreaterThan(grown + 16);
      expect(await where()).toBe(at);

      speedUp();
      expect(await training.ended).toBe(0);
      await expect.poll(() => status.innerText(), soon).toBe('completed');
      expect(await page.title()).not.toContain('▶');
      expect(await page.locator('.answer').innerText()).toMatch(/^(Yes|No|Not shown): .* of 30 test episodes/);
      expect(await page.locator('nav .links').innerText()).toMatch(
        /Results\s+Curves\s+Tasks\s+Costs\s+Returns and lengths\s+Episodes\s+Advice\s+Recipe/,
      );
      await page.locator('nav .brand').click();
      await expect.poll(() => rows.first().innerText(), soon).toMatch(/completed[\s\S]*final/);
    });
  }, 120_000);

  it('compares runs that were chosen, by the keyboard too', async () => {
    await visit('/', {}, async (page) => {
      const boxes = page.locator('.pick input');
      await expect.poll(() => boxes.count(), soon).toBeGreaterThan(1);
      expect(await page.locator('.button').getAttribute('href')).toBeNull();
      // The newest and the oldest run: a retry of an earlier test may have left similar runs.
      for (const box of [boxes.first(), boxes.last()]) {
        await box.focus();
        await page.keyboard.press('Space');
      }
      await page.locator('.button').focus();
      await page.keyboard.press('Enter');
      await page.locator('#results tbody tr').first().waitFor();
      expect(await page.locator('#results tbody').first().locator('tr').count()).toBe(2);
      expect(page.url()).toContain('/compare?run=');
      expect(await page.locator('.toggle').count()).toBe(2);
    });
  });

  // Goes red when the page of an ablation shows only its runs, when a section in use is redrawn, or when its final
  // state differs from the output of `agentgym report`.
  longIt(
    'follows an ablation: cells fill, the answer appears, and it ends as its report',
    async () => {
      await visit('/', {}, async (page) => {
        slowDown(1000);
        const sets = ['stages.rl.steps=20', 'evaluation.every=10', 'record.episodes=4'].flatMap((set) => [
          '--set',
          set,
        ]);
        const asked = ['ablate', 'algorithm', '--recipe', 'recipe.yaml', '--values', '[grpo, rloo]', '--seeds', '2'];
        // Each attempt has a new folder.
        const folder = join(cwd, 'runs', 'ablations', `grid-${started.length}`);
        const grid = start([...asked, ...sets, '--workers', '1', '--output', folder], cwd);
        started.push(grid);
        await page.locator(`.ablation a[href*=${basename(folder)}]`).click({ timeout: 20_000 });

        const cells = page.locator('#results table').first().locator('tbody tr');
        await expect
          .poll(() => cells.allInnerTexts(), soon)
          .toEqual([expect.stringMatching(/^grpo[\s\S]*running/), expect.stringMatching(/^rloo[\s\S]*queued/)]);
        expect(await page.locator('h1').innerText()).toBe('Which algorithm learns this best under one budget?');
        const answer = page.locator('.answer');
        expect(await answer.innerText()).toMatch(/^No answer yet/);

        await page.locator('#episodes select[aria-label=Stage]').waitFor({ timeout: 20_000 });
        await expect
          .poll(() => page.locator('#episodes select[aria-label=Stage] option[value=rl]').count(), soon)
          .toBe(1);
        await page.locator('.choice span', { hasText: 'per episode' }).click();
        await page.locator('#episodes select[aria-label=Stage]').selectOption('rl');
        await page.locator('.episodes').focus();
        await page.keyboard.press('Home');
        await page.keyboard.press('ArrowDown');
        const kept = async () => ({
          task: await page.locator('.episode-head h3').first().innerText(),
          about: await page.locator('.episode-head .explain').first().innerText(),
          stage: await page.locator('#episodes select[aria-label=Stage]').inputValue(),
          axis: await page.getByRole('group', { name: 'Horizontal axis' }).locator('input:checked').inputValue(),
          focus: await page.evaluate(() => document.activeElement?.className),
          top: await page.evaluate(() => Math.round(document.activeElement!.getBoundingClientRect().top)),
        });
        const before = await kept();
        // Slow enough to see the end of each run before the end of the next one.
        slowDown(150);
        const long = { timeout: 60_000, interval: 100 };
        // The first seed of each cell, one after the other.
        for (const i of [0, 1]) {
          await expect.poll(() => cells.nth(i).innerText(), long).toMatch(/\d\s%[\s\S]*1 of 2/);
          const after = await kept();
          expect(Math.abs(after.top - before.top)).toBeLessThanOrEqual(2);
          expect({ ...after, top: before.top }).toEqual(before);
        }
        await expect
          .poll(() => answer.innerText(), long)
          .toMatch(/^Success: ((grpo|rloo) \([\d.]+\s%\); |all 2 cells reach ).*2 of 4 runs are missing/);
        speedUp();
        expect(await page.locator('.toggle').allInnerTexts()).toEqual(['grpo', 'rloo']);

        expect(await grid.ended).toBe(0);
        const status = page.locator('.overview .status');
        await expect.poll(() => status.innerText(), soon).toBe('4 of 4 runs complete');
        expect(await kept()).toMatchObject({ task: before.task, stage: before.stage, axis: before.axis });

        const file = join(cwd, 'ablation.html');
        const { code, stderr } = await runWarm(['report', folder, '--output', file], { cwd });
        expect(code, stderr).toBe(0);
        const { page: report } = await openFile(browser, file);
        // A saved report has no links to pages of runs.
        const withoutLinks = (of: Page) =>
          of.locator('#results').evaluate((section) => {
            for (const link of section.querySelectorAll('.seed-links a')) link.remove();
            return (section as HTMLElement).innerText.replaceAll(/: seeds? ?/g, '');
          });
        const links = page.locator('.seed-links a');
        expect(await links.count()).toBe(4);
        expect(await report.locator('.seed-links a').count()).toBe(0);
        const address = await links.last().getAttribute('href');
        const told = async (of: Page) => ({
          head: await of.locator('.overview').innerText(),
          results: await withoutLinks(of),
          spent: await of.locator('#spent').innerText(),
          curves: (await of.locator('#curves h3').allInnerTexts()).join(),
          recipes: (await of.locator('#recipe summary').allInnerTexts()).join(),
        });
        expect(await told(page)).toEqual(await told(report));
        await report.close();
        await page.goto(new URL(address!, page.url()).href);
        await expect.poll(() => page.locator('.overview').innerText(), soon).toMatch(/^Run[\s\S]*rloo/);
      });
    },
    180_000,
  );

  // Goes red when a page does not reconnect after a lost connection.
  it('tells that the server is gone, and goes on when it is back', async () => {
    await visit('/', {}, async (page, faults) => {
      const live = page.locator('nav .live');
      await expect.poll(() => live.innerText(), soon).toBe('live');
      expect(await stop(server)).toBe(0);
      await expect.poll(() => live.innerText(), soon).toContain('connection lost');
      ({ made: server } = await serve(url.port));
      await expect.poll(() => live.innerText(), soon).toBe('live');
      // Errors while no server listened are not faults of the page.
      expect(faults.filter((fault) => !fault.includes('ERR_'))).toEqual([]);
      faults.length = 0;
    });
  }, 60_000);

  it('gives its connection back while nobody looks, and has everything when somebody does', async () => {
    await visit('/', {}, async (page) => {
      const live = page.locator('nav .live');
      await expect.poll(() => live.innerText(), soon).toBe('live');
      const look = (state: string) =>
        page.evaluate((value) => {
          Object.defineProperty(document, 'visibilityState', { value, configurable: true });
          document.dispatchEvent(new Event('visibilitychange'));
        }, state);
      await look('hidden');
      await expect.poll(() => live.innerText(), soon).toBe('paused');
      await look('visible');
      await expect.poll(() => live.innerText(), soon).toBe('live');
    });
  });

  it('fits a telephone and likes the dark', async () => {
    for (const width of [360, 800]) {
      await visit('/', { width, colorScheme: 'dark' }, async (page) => {
        const tooWide = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        await page.locator('.run').first().waitFor();
        expect(await tooWide()).toBeLessThanOrEqual(0);
        const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        expect(ground).toBe('rgb(21, 23, 26)');
        await page.locator('.run a').first().click();
        await page.locator('#episodes .row').first().waitFor();
        expect(await tooWide()).toBeLessThanOrEqual(0);
        // The live status stays visible.
        const box = await page.locator('nav .live').boundingBox();
        expect(box!.x + 8).toBeLessThan(width);
      });
    }
  });

  it('lets nothing out, and nobody in', async () => {
    await visit('/', {}, async (page, faults) => {
      await page.locator('.run').first().waitFor();
      const tried = await page.evaluate(() =>
        fetch('http://127.0.0.1:9/').then(
          () => 'fetched',
          (error: Error) => error.message,
        ),
      );
      expect(tried).toBe('Failed to fetch');
      expect(faults.join()).toContain('Content Security Policy');
      faults.length = 0;
    });
    const page = await browser.newPage();
    expect((await page.goto(url.origin))!.status()).toBe(403);
    await page.close();
  });
});
