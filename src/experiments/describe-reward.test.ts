import { describe, expect, it } from 'vitest';

import { tinyRecipe } from '../config/fixtures/tiny-recipe.js';
import { planRun } from '../config/run-plan.js';
import { environmentPool } from '../rollout/fixtures/collect.js';
import { denseReward, Signals } from '../rollout/fixtures/signals.js';
import { describeRewards } from './describe-reward.js';
import type { Parts } from './make-parts.js';

const plan = planRun(
  tinyRecipe({
    horizon: { schedule: 'fixed', turns: 5 },
    policy: { sampling: { maxActionTokens: 3 } },
    rollout: { inFlight: 4, deadlineSeconds: 1 },
  }),
);

const partsOf = (create: () => Signals): Parts => {
  const pool = environmentPool(create);
  const environment = { name: 'signals', facts: ['progress', 'milestones'], world: pool.world, pool };
  return {
    entries: [{ plan: plan.entries[0], environment, reward: denseReward }],
    rl: new Map([['rl', { rewards: [denseReward] }]]),
  } as unknown as Parts;
};

describe('describeRewards', () => {
  it('tells the bounds within the longest horizon', () => {
    const parts = partsOf(() => new Signals());
    expect(describeRewards(plan, parts)).toEqual({ bounds: { success: [2, 2], failure: [0, 1] } });
  });

  it('tells nothing where no stage is rewarded', () => {
    expect(describeRewards(plan, { ...partsOf(() => new Signals()), rl: new Map() })).toBeNull();
  });
});
