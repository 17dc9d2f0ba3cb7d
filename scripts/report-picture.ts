// npx jiti scripts/report-picture.ts REPORT: writes docs/images/report.png, the picture of README.md and of the site's
// first page, from the page of a quickstart run (`agentgym report RUN`). It needs the Chromium of the browser tests.
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { openBrowser } from '../test/browser/open-browser.js';

const [report] = process.argv.slice(2);
if (report === undefined) throw new Error('Give the path of a report.html.');
const picture = fileURLToPath(new URL('../docs/images/report.png', import.meta.url));
await mkdir(fileURLToPath(new URL('.', `file://${picture}`)), { recursive: true });
const browser = await openBrowser();
const page = await browser.newPage({ viewport: { width: 1200, height: 925 }, colorScheme: 'light' });
await page.goto(`file://${resolve(report)}`);
await page.waitForSelector('.plot svg');
await page.screenshot({ path: picture });
await browser.close();
