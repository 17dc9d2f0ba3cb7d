// Writes what documents say of the code: `npm run reference`.
import { writeFileSync } from 'node:fs';

import { referencePages } from './reference-pages.js';
import { measuredRewardsPage, rewardsPage } from './reward-density-table.js';

for (const [name, text] of Object.entries(referencePages())) {
  writeFileSync(new URL(`../docs/reference/${name}`, import.meta.url), text);
}
writeFileSync(rewardsPage, await measuredRewardsPage());
