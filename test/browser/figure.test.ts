// Figures in a browser: strict parsing, as an image, at several sizes. Needs a Chromium.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { ChartLine } from '../../src/reporting/chart/chart.js';
import { drawFigure } from '../../src/reporting/chart/draw-figure.js';
import { openBrowser, openFile, withoutBrowser } from './open-browser.js';

const hostile = [
  '</svg><script>window.reached = 1</script>',
  `"><image href="http://198.51.100.1/x.png" onerror='window.reached = 1'>`,
  ']]>&nbsp;<!--\u0000\ud800\uffff',
  `${'algorithm.options.clipHigh='.repeat(40)}0.28`,
];

/** Writes a figure with these names. Any number of names of any length must fit the legend. */
function writeFigure(names: readonly string[]): string {
  const lines = names.map((label, style): ChartLine => {
    const y = [20 + style, 40 + 2 * style, 60 + 3 * style];
    return { label, style, curve: { x: [0, 600_000, 1_234_567], y }, isMarked: true };
  });
  const text = names[0] ?? '';
  const svg = drawFigure({
    title: text,
    x: { title: names[1] ?? '', size: 1, isWhole: true },
    y: { title: names[3] ?? '', size: 1, bounds: [0, 100], leastRange: 10 },
    lines,
    levels: [],
    marks: [],
    caption: names.join(' '),
  });
  const file = join(mkdtempSync(join(tmpdir(), 'agentgym-figure-')), 'figure.svg');
  writeFileSync(file, svg);
  return file;
}

describe.skipIf(withoutBrowser)('a figure in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  // Goes red when a name reaches the markup: an SVG file is parsed as strict XML.
  it('is well-formed and inert, whatever its names are', async () => {
    const { page, faults } = await openFile(browser, writeFigure(hostile));
    expect(await page.evaluate(() => document.documentElement.tagName)).toBe('svg');
    expect(await page.locator('parsererror, script, image').count()).toBe(0);
    expect(await page.evaluate(() => 'reached' in window)).toBe(false);
    expect(faults).toEqual([]);
    await page.close();
  });

  // Goes red when text is larger than its reserved space, as on a phone.
  it.each([360, 760, 1400])('has no text that covers another or leaves it, %i pixels wide', async (width) => {
    const names = ['grpo', 'ppo with a critic', '很长的名字', hostile[3]!, 'rloo', 'cispo', 'dpo', 'expert-iteration'];
    const { page } = await openFile(browser, writeFigure(names), { width });
    const { boxes, frame } = await page.evaluate(() => {
      const of = (node: Element) => {
        const { left, top, right, bottom } = node.getBoundingClientRect();
        return { left, top, right, bottom, text: node.textContent };
      };
      return { boxes: [...document.querySelectorAll('text')].map(of), frame: of(document.documentElement) };
    });
    expect(boxes.length).toBeGreaterThan(20);
    expect(frame.right).toBeLessThanOrEqual(width);
    for (const box of boxes) {
      expect(box.left, box.text).toBeGreaterThanOrEqual(frame.left);
      expect(box.right, box.text).toBeLessThanOrEqual(frame.right);
    }
    // Boxes are as high as a line, with space above and below the letters.
    const air = (box: { top: number; bottom: number }) => (box.bottom - box.top) / 5;
    const covered = boxes.flatMap((a, i) =>
      boxes
        .slice(i + 1)
        .filter((b) => a.left < b.right && b.left < a.right && a.top + air(a) < b.bottom && b.top + air(b) < a.bottom)
        .map((b) => `${a.text} / ${b.text}`),
    );
    expect(covered).toEqual([]);
    await page.close();
  });

  it('is dark where the reader is, and light elsewhere', async () => {
    const file = writeFigure(['a', 'b', 'c', 'd']);
    const ground = async (colorScheme: 'light' | 'dark') => {
      const { page } = await openFile(browser, file, { colorScheme });
      const colour = await page.locator('.ground').evaluate((node) => getComputedStyle(node).fill);
      await page.close();
      return colour;
    };
    expect([await ground('light'), await ground('dark')]).toEqual(['rgb(255, 255, 255)', 'rgb(21, 23, 26)']);
  });
});
