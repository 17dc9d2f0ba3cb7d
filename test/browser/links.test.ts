// Links to places of a report, and the search of its episodes, in a real browser. Needs the build and a Chromium.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { documentOf } from '../cli/run-cli.js';
import { runWarm } from '../cli/warm-cli.js';
import { longIt } from '../long.js';
import { openBrowser, openFile, withoutBrowser } from './open-browser.js';
import { copyRun, trainRun } from './trained-run.js';

const word = 'Zeppelin';

describe.skipIf(withoutBrowser)('the address of a report', () => {
  let browser: Browser;
  let report: string;

  beforeAll(async () => {
    browser = await openBrowser();
    // The last episode of reinforcement learning says a word that no other episode says, far down in a long observation.
    const run = copyRun(await trainRun(1), (episode, index) => {
      if (episode.stage !== 'rl' || index !== 20) return episode;
      const [first, ...others] = episode.turns;
      return { ...episode, turns: [{ ...first!, observation: `${'far '.repeat(2000)}${word}` }, ...others] };
    });
    const result = await runWarm(['report', run, '--json']);
    expect(result.code, result.stderr).toBe(0);
    report = documentOf(result)['report'] as string;
  }, 120_000);
  afterAll(() => browser?.close());

  async function visit(hash: string, look: (page: Page) => Promise<void>, width = 1400): Promise<void> {
    const { page, faults } = await openFile(browser, report, { width });
    try {
      if (hash !== '') {
        await page.goto('about:blank');
        await page.goto(`file://${report}${hash}`);
      }
      await look(page);
      expect(faults.filter((fault) => !fault.startsWith('request: '))).toEqual([]);
    } finally {
      await page.close();
    }
  }
  const hashOf = (page: Page) => new URL(page.url()).hash;
  const headOf = (page: Page) => page.locator('.episode-head').first().innerText();
  const search = (page: Page) => page.getByLabel('Words of tasks, observations, actions');

  // Goes red when an episode has no link, when the link does not open it, or when the back button does not work.
  it('names the open episode, and opens it again', async () => {
    let [hash, head] = ['', ''];
    await visit('', async (page) => {
      expect(hashOf(page)).toBe('');
      const first = await headOf(page);
      await page.locator('.row').nth(4).click();
      [hash, head] = [hashOf(page), await headOf(page)];
      expect(hash).toMatch(/^#episode=\w+\/[\w.]+\/\d+\/\d+\/\d+\/\w+$/);
      await page.locator('.row').nth(2).click();
      expect(hashOf(page)).not.toBe(hash);
      await page.goBack();
      expect([hashOf(page), await headOf(page)]).toEqual([hash, head]);
      await page.goBack();
      expect([hashOf(page), await headOf(page)]).toEqual(['', first]);
      await page.goForward();
      expect([hashOf(page), await headOf(page)]).toEqual([hash, head]);
    });
    await visit(hash, async (page) => {
      expect(await headOf(page)).toBe(head);
      expect(await page.locator('.row[aria-selected=true]').count()).toBe(1);
      await expect
        .poll(() => page.locator('#episodes').evaluate((node) => node.getBoundingClientRect().top))
        .toBeLessThan(500);
    });
    await visit('#episode=gone/rl/1/1/1/a', async (page) => {
      expect(await page.getByText('The episode of this address is not on this page.').isVisible()).toBe(true);
    });
  });

  it('has a link for a chart, also for one that is not shown at first', async () => {
    await visit('', async (page) => {
      await page.getByRole('button', { name: 'Show every metric' }).click();
      const title = await page.locator('.chart').last().getAttribute('data-title');
      await page.getByRole('button', { name: `Link to the chart ${title}` }).click();
      expect(new URLSearchParams(hashOf(page).slice(1)).get('chart')).toBe(title);
      const hash = hashOf(page);
      await visit(hash, async (other) => {
        const chart = other.locator(`.chart[data-title=${JSON.stringify(title)}]`);
        await expect
          .poll(() => chart.evaluate((node) => Math.abs(node.getBoundingClientRect().top - innerHeight / 2)))
          .toBeLessThan(450);
      });
    });
  });

  longIt('keeps filters and choices, and takes them back', async () => {
    await visit('', async (page) => {
      await page.getByLabel('Stage').selectOption('rl');
      await page.locator('.choice span', { hasText: 'per episode' }).click();
      await page.locator('.choice span', { hasText: 'log probability' }).click();
      await page.locator('.chip', { hasText: 'not solved' }).click();
      const hash = hashOf(page);
      expect(Object.fromEntries(new URLSearchParams(hash.slice(1)))).toMatchObject({
        stage: 'rl',
        axis: 'episodes',
        tokens: 'logprobs',
        outcome: 'lost',
      });
      const found = await page.locator('#episodes [role=status]').innerText();
      await visit(hash, async (other) => {
        expect(await other.getByLabel('Stage').inputValue()).toBe('rl');
        expect(await other.locator('.choice input[value=episodes]').isChecked()).toBe(true);
        expect(await other.locator('.choice input[value=logprobs]').isChecked()).toBe(true);
        expect(await other.locator('.chip[aria-pressed=true]').innerText()).toMatch(/not solved/);
        expect(await other.locator('#episodes [role=status]').innerText()).toBe(found);
      });
      await page.goBack();
      expect(await page.locator('.chip[aria-pressed=true]').count()).toBe(0);
      await page.goBack();
      expect(await page.locator('.choice input[value=text]').isChecked()).toBe(true);
    });
  });

  // Goes red when the episode of another stage stays open beside the list of a stage.
  longIt('always shows an episode of the list', async () => {
    await visit('', async (page) => {
      expect(await headOf(page)).toContain('before RL');
      await page.getByLabel('Stage').selectOption('rl');
      expect(await page.locator('.episode-head').count()).toBe(1);
      expect(await headOf(page)).toMatch(/rl, step/);
      const shown = await headOf(page);
      await page.getByLabel('Stage').selectOption('');
      expect(await headOf(page)).toBe(shown);
      await search(page).fill('no such text');
      expect(await page.locator('.episode-head:visible').count()).toBe(0);
      expect(await page.getByText('No episode fits the filter.').isVisible()).toBe(true);
      await search(page).fill('');
      expect(await page.locator('.episode-head:visible').count()).toBe(1);
    });
  });

  // Goes red when a search reads only ids, or when a found word is in a folded part that stays folded.
  it('finds a word of an observation, opens its episode, and marks the word', async () => {
    await visit('', async (page) => {
      await search(page).fill(word.toLowerCase());
      expect(await page.locator('.row').count()).toBe(1);
      await expect.poll(() => page.locator('.observation').first().innerText()).toContain(word);
      await expect
        .poll(() =>
          page.evaluate(() => [...(CSS.highlights.get('found') ?? [])].map((range) => (range as Range).toString())),
        )
        .toEqual([word]);
      expect(hashOf(page)).toContain(`words=${word.toLowerCase()}`);
    });
    await visit(`#words=${word}`, async (page) => {
      expect(await page.locator('.row').count()).toBe(1);
    });
  });
});
