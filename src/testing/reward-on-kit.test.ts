import { describe, expect, it } from 'vitest';

import type { RewardScheme } from '../contracts/reward.js';
import { Signals, signalWorld } from '../rollout/fixtures/signals.js';
import { rewardOnKit, type RewardOnSettings } from './reward-on-kit.js';
import type { EnvironmentSubject } from './environment-checks/environment-subject.js';
import { unfinishedCheck } from './conformance-kit.js';

/** Three right answers win, and `quit` loses. Each right answer is a milestone. */
const signals: EnvironmentSubject = {
  contribution: { name: 'signals', facts: ['progress', 'milestones'] },
  options: undefined,
  open: () => signalWorld(undefined, { maxTurns: 8 }),
};
const subject = (scheme: RewardScheme) => ({ create: () => scheme, options: {} });
const check = (environment: EnvironmentSubject, reward: ReturnType<typeof subject>, settings?: RewardOnSettings) =>
  rewardOnKit.check({ environment, reward }, settings);

const sparse: RewardScheme = {
  density: 'outcome',
  score: ({ facts, previous }) => (facts.success && previous?.success !== true ? 1 : 0),
  bounds: () => ({ success: [1, 1], failure: [0, 0] }),
};
/**
 * Like the Guide's released code: a lost episode gets 1 for each milestone. In a won episode this sum is divided by the
 * number of milestones. Each turn is paid as if the episode were lost, and the last turn of a win takes back the
 * excess.
 */
const inverted: RewardScheme = {
  density: 'turn',
  score: ({ facts, previous }) => {
    const before = previous?.milestones?.reached ?? 0;
    return facts.success ? 1 - before : (facts.milestones?.reached ?? 0) - before;
  },
  bounds: ({ milestones = 0 }) => ({ success: [1, 1], failure: [0, milestones] }),
};

const blind: EnvironmentSubject = {
  ...signals,
  open: () => signalWorld(undefined, { experts: [], count: 2 }),
};

/** A broken case for each check. */
const fixtures: Record<string, () => ReturnType<typeof check>> = {
  'both-outcomes': () => check(blind, subject(sparse), { horizon: 2 }),
  law: () => check(signals, subject(inverted)),
  bounds: () => check(signals, subject({ ...sparse, bounds: () => ({ success: [1, 1], failure: [-1, -1] }) })),
};

describe('the kit of rewards on an environment', () => {
  it('finds nothing in an outcome', async () => {
    expect(await check(signals, subject(sparse))).toEqual([]);
  });

  it('has something broken for each check', () => {
    expect(['create', ...Object.keys(fixtures)].toSorted()).toEqual(rewardOnKit.checks.map(({ id }) => id).toSorted());
  });

  it.each(Object.entries(fixtures))('%s catches what is broken', async (id, find) => {
    const found = (await find()).find((finding) => finding.id === id);
    expect(found).toMatchObject({ severity: 'error' });
    expect(found?.message).not.toContain(unfinishedCheck);
  });

  // Goes red without the player that stops the oracle one turn early: random play rarely reaches two milestones.
  it('names the failure that came furthest', async () => {
    const [found] = await check(signals, subject(inverted), { tasks: 1 });
    expect(found).toMatchObject({ id: 'law', message: expect.stringMatching(/a failure 2 \(.*2 of 3 milestones\)/) });
  });

  it('lets a term stand beside an outcome, as far as the outcome reaches', async () => {
    const price = (perTurn: number): RewardScheme => ({
      density: 'turn',
      score: () => -perTurn,
      bounds: ({ horizon }) => ({ success: [-perTurn * horizon, 0], failure: [-perTurn * horizon, 0] }),
    });
    expect(await check(signals, subject(price(0.05)), { term: true })).toEqual([]);
    expect(await check(signals, subject(price(0.5)), { term: true })).toMatchObject([{ id: 'law' }]);
    expect(await check(signals, subject(price(0.05)))).toMatchObject([{ id: 'law' }]);
  });

  it('tells of an environment that breaks', async () => {
    const create = () => Object.assign(new Signals(), { step: () => Promise.reject(new Error('no current')) });
    expect(await check({ ...signals, open: () => signalWorld(create) }, subject(sparse))).toMatchObject([
      { id: 'create', message: expect.stringMatching(/random on .*: step 0 threw: no current/) as unknown },
    ]);
  });
});

describe('rewardOnKit.describe', () => rewardOnKit.describe(it, { environment: signals, reward: subject(sparse) }));
