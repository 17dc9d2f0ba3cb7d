// Writes test/api/: `npm run api`, after a compile.
import { mkdirSync, writeFileSync } from 'node:fs';

import { API_REPORTS, apiReport } from './api-reports.js';

const folder = new URL('../test/api/', import.meta.url);
mkdirSync(folder, { recursive: true });
for (const name of Object.keys(API_REPORTS) as (keyof typeof API_REPORTS)[]) {
  writeFileSync(new URL(name, folder), apiReport(name));
}
