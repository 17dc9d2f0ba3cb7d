import { readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

import { measuredRewardsPage, rewardsPage } from '../../scripts/reward-density-table.js';

// Goes red when a scheme, an oracle, a milestone or the definition of density changes.
it('the table of docs/rewards.md is what is played now: `npm run reference`', { timeout: 60_000 }, async () => {
  expect(readFileSync(rewardsPage, 'utf8')).toBe(await measuredRewardsPage());
});
