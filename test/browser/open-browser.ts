import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

import { chromium, type Browser, type Page } from 'playwright-core';

/**
 * The Chromium of this machine: CHROMIUM_PATH, or the first of its usual names on the path. The headless shell comes
 * first, because it needs half of the processor time.
 */
export function findChromium(): string | undefined {
  const named = process.env['CHROMIUM_PATH'];
  if (named !== undefined && named !== '') return named;
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

/** Tests that need a browser are skipped if there is none, except in CI, where they fail. */
export const withoutBrowser = findChromium() === undefined && process.env['CI'] === undefined;

/** Throws if there is no Chromium. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined)
    throw new Error('There is no Chromium: install it, or say where it is in CHROMIUM_PATH.');
  // Chromium has no sandbox as root, for example in a container.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

/** A page, and everything it did that a report must not do. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors and warnings of the console, exceptions, and requests for anything except the file itself. */
  readonly faults: readonly string[];
}

export interface View {
  readonly width?: number;
  readonly colorScheme?: 'light' | 'dark';
}

/** Opens a file from disk, and watches the page from the start. */
export async function openFile(
  browser: Browser,
  file: string,
  { width = 1400, colorScheme = 'light' }: View = {},
): Promise<WatchedPage> {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  const faults: string[] = [];
  const address = `file://${file}`;
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`exception: ${error.message}`));
  page.on('request', (request) => {
    if (request.url() !== address) faults.push(`request: ${request.url()}`);
  });
  await page.goto(address);
  return { page, faults };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
