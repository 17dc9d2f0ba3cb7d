import { describe, expect, it } from 'vitest';

import type { RewardScheme } from '../contracts/reward.js';
import { rewardKit } from './reward-kit.js';
import { unfinishedCheck } from './conformance-kit.js';

const sparse: RewardScheme = {
  density: 'outcome',
  score: ({ facts, previous }) => (facts.success && previous?.success !== true ? 1 : 0),
  bounds: ({ horizon, discount = 1 }) => ({ success: [discount ** (horizon - 1), 1], failure: [0, 0] }),
};
/** Pays for each new milestone and for success. */
const dense: RewardScheme = {
  density: 'turn',
  score: ({ facts, previous }) => {
    const gained = (facts.milestones?.reached ?? 0) - (previous?.milestones?.reached ?? 0);
    return 0.1 * gained + (facts.success && previous?.success !== true ? 1 : 0);
  },
  bounds: ({ horizon, milestones = 0, discount = 1 }) => ({
    success: [discount ** (horizon - 1), 1 + 0.1 * milestones],
    failure: [0, 0.1 * milestones],
  }),
};
/** Subtracts a price for every turn and never pays. */
const price = (perTurn: number): RewardScheme => ({
  density: 'turn',
  score: () => -perTurn,
  bounds: ({ horizon }) => ({ success: [-perTurn * horizon, -perTurn], failure: [-perTurn * horizon, 0] }),
});
const subject = (scheme: RewardScheme) => ({ create: () => scheme, options: {} });
let seen = 0;
const dayAfterTomorrow = Date.now() + 2 * 86_400_000;

/** Broken schemes for each check. */
const fixtures: Record<string, RewardScheme | readonly RewardScheme[]> = {
  pure: { ...sparse, score: (turn) => sparse.score(turn) + (seen += 1) },
  bounds: [
    { ...dense, score: ({ facts }) => facts.progress as number },
    { ...sparse, bounds: () => ({ success: [1, 1], failure: [0, -1] }) },
    { ...dense, score: (turn) => dense.score(turn) - (turn.malformed ? 0.1 : 0) },
    { ...sparse, bounds: () => ({ success: [1, 1], failure: [0, 0] }) },
  ],
  'success-above-failure': {
    ...dense,
    bounds: ({ horizon }) => ({ success: [1 - 0.5 * horizon, 1], failure: [-0.5 * horizon, 0] }),
  },
  density: { ...sparse, score: ({ facts }) => (facts.success ? 1 : 0) },
  'global-random': { ...sparse, score: (turn) => sparse.score(turn) + 0 * Math.random() },
  clock: { ...sparse, score: (turn) => (Date.now() > dayAfterTomorrow ? 0 : sparse.score(turn)) },
  'global-state': {
    ...sparse,
    score: (turn) => {
      process.env['AGENTGYM_TEST_SCORED'] = String((seen += 1));
      return sparse.score(turn);
    },
  },
};

describe('the kit of rewards', () => {
  it('finds nothing in good schemes', async () => {
    expect(await rewardKit.check(subject(sparse))).toEqual([]);
    expect(await rewardKit.check(subject(dense))).toEqual([]);
  });

  it('lets a term stand beside an outcome, as far as the outcome reaches', async () => {
    expect(await rewardKit.check(subject(price(0.01)), { term: true })).toEqual([]);
    const laws = async (perTurn: number, term: boolean) =>
      (await rewardKit.check(subject(price(perTurn)), { term })).map(({ id }) => id);
    // Goes red when `term` accepts every scheme.
    expect(await laws(0.2, true)).toEqual(['success-above-failure']);
    expect(await laws(0.01, false)).toEqual(['success-above-failure']);
  });

  it('has one broken scheme for each check', () => {
    expect(['create', ...Object.keys(fixtures)].toSorted()).toEqual(rewardKit.checks.map(({ id }) => id).toSorted());
  });

  const all = Object.entries(fixtures).flatMap(([id, some]) => [some].flat().map((scheme) => [id, scheme] as const));
  it.each(all)('%s catches its broken scheme', async (id, scheme) => {
    const found = (await rewardKit.check(subject(scheme))).find((finding) => finding.id === id);
    expect(found).toMatchObject({ severity: 'error' });
    expect(found?.message).not.toContain(unfinishedCheck);
  });
});

describe('rewardKit.describe', () => {
  it('declares a test for each check that is not accepted, and those of broken things fail', async () => {
    const declared: (() => Promise<void>)[] = [];
    const broken = subject(fixtures['success-above-failure'] as RewardScheme);
    rewardKit.describe((_name, body) => declared.push(body), broken, { accept: ['bounds'] });
    expect(declared).toHaveLength(rewardKit.checks.length - 1);
    const outcomes = await Promise.allSettled(declared.map((body) => body()));
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  });
});
