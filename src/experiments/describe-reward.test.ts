import { describe, expect, it } from 'vitest';

import { tinyRecipe } from '../config/fixtures/tiny-recipe.js';
import { planRun } from '../config/run-plan.js';
import { createRandom } from '../random/create-random.js';
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
  return {
    environment: {
      name: 'signals',
      facts: ['progress', 'milestones'],
      world: pool.world,
      pool,
    },
    reward: denseReward,
    rl: new Map([['rl', { reward: denseReward }]]),
  } as unknown as Parts;
};

const described = (create: () => Signals, signal = new AbortController().signal) =>
  describeRewards(plan, partsOf(create), createRandom(3), signal);

/** Fails on every reset whose number `breaks` selects, for every player. */
class Brittle extends Signals {
  static resets = 0;
  constructor(private readonly breaks: (reset: number) => boolean) {
    super();
  }

  override reset(task: string, context: Parameters<Signals['reset']>[1]) {
    Brittle.resets += 1;
    if (this.breaks(Brittle.resets)) throw new Error('the signal box burns');
    return super.reset(task, context);
  }
}

describe('describeRewards', () => {
  it('plays the oracle and the random player, the same for the same seed', async () => {
    const first = await described(() => new Signals());
    expect(first?.bounds).toEqual({ success: [2, 2], failure: [0, 1] });
    expect(Object.keys(first!.density)).toEqual(['random', 'oracle']);
    expect(first?.density.oracle).toEqual({ rewardsPerTurn: 1, stepsPerReward: 1 });
    expect(first?.density.random?.rewardsPerTurn).toBeLessThan(0.5);
    expect(await described(() => new Signals())).toEqual(first);
    const other = await describeRewards(
      plan,
      partsOf(() => new Signals()),
      createRandom(4),
      new AbortController().signal,
    );
    expect(other?.density.random).not.toEqual(first?.density.random);
  });

  it('leaves out episodes that fail, and a player whose episodes all do', async () => {
    Brittle.resets = 0;
    const some = await described(() => new Brittle((reset) => reset % 3 === 0));
    expect(some?.density.oracle).toEqual({ rewardsPerTurn: 1, stepsPerReward: 1 });
    expect((await described(() => new Brittle(() => true)))?.density).toEqual({});
    const none = await described(() => {
      throw new Error('no signal box');
    });
    expect(none).toEqual({ bounds: some?.bounds, density: {} });
  });

  it('plays nothing in an external world, and still says the bounds', async () => {
    const parts = partsOf(() => {
      throw new Error('nobody should play');
    });
    const { environment } = parts;
    const external = { ...parts, environment: { ...environment, world: { ...environment.world, external: true } } };
    const found = await describeRewards(plan, external, createRandom(3), new AbortController().signal);
    expect(found).toEqual({ bounds: { success: [2, 2], failure: [0, 1] }, density: {} });
  });

  it('plays nothing where no stage is rewarded', async () => {
    const create = () => {
      throw new Error('nobody should play');
    };
    const unrewarded = { ...partsOf(create), rl: new Map() };
    expect(await describeRewards(plan, unrewarded, createRandom(3), new AbortController().signal)).toBeNull();
  });

  it('says nothing where it was interrupted', async () => {
    const controller = new AbortController();
    controller.abort();
    expect(await described(() => new Signals(), controller.signal)).toBeNull();
  });
});
