// Writes the documents that are generated from the code: `npm run reference`.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dirname, join } from 'node:path';

import { referencePages } from './reference-pages.js';
import { figuresFolder, measuredPerformancePage, performancePage } from './performance-page.js';
import { measuredRewardsPage, rewardsPage } from './reward-density-table.js';

const folder = fileURLToPath(new URL('../docs/reference', import.meta.url));
const pages = await referencePages();
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  const file = join(entry.parentPath, entry.name);
  if (entry.isFile() && !Object.keys(pages).some((name) => join(folder, name) === file)) rmSync(file);
}
for (const [name, text] of Object.entries(pages)) {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}
const performance = measuredPerformancePage();
writeFileSync(performancePage, performance.page);
for (const name of readdirSync(figuresFolder)) if (name.startsWith('growth-')) rmSync(join(figuresFolder, name));
for (const [name, text] of performance.figures) writeFileSync(join(figuresFolder, name), text);
writeFileSync(rewardsPage, await measuredRewardsPage());
