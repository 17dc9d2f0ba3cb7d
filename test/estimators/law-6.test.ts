// Law 6: estimators are what they claim. On an enumerable game, estimators that claim to be unbiased are unbiased
// within Monte-Carlo error, and the bias of the others shows. Each runs the plugin's own code: `select`, `advantages`,
// `weights`, and the derivative of `loss` while the policy still equals the sampler.
import { describe, expect, it } from 'vitest';

import { measureEstimator } from '../../src/testing/estimators/measure-estimator.js';
import { TokenMdp } from '../../src/testing/estimators/token-mdp.js';
import { algorithmOf, variants, type Variant } from './variants.js';

const mdp = new TokenMdp();
const settings = { batches: 3000, groupSize: 4 };
const measureNow = async (variant: Variant) =>
  measureEstimator(mdp, await algorithmOf(variant), { ...settings, ...(variant.critic && { critic: variant.critic }) });
/** Several tests ask for the same variant. */
const measured = new Map<Variant, ReturnType<typeof measureNow>>();
const measure = (variant: Variant) => {
  const measuring = measured.get(variant) ?? measureNow(variant);
  measured.set(variant, measuring);
  return measuring;
};
const named = (name: string): Variant => variants.find((variant) => variant.name === name) as Variant;

describe('the small game', () => {
  it('is known whole: probabilities add up, and turns and lengths differ', () => {
    for (const episodes of mdp.tasks) {
      expect(episodes.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 12);
      expect(new Set(episodes.map(({ turns }) => turns.length))).toEqual(new Set([1, 3]));
      expect(episodes.every(({ mask }) => mask.includes(0) && mask.includes(1))).toBe(true);
    }
  });

  it('has the gradient that finite differences of the expected return give', () => {
    const step = 1e-5;
    for (const [context, place] of [...mdp.places].filter((_, index) => index % 11 === 0)) {
      const [up, down] = [step, -step].map((change) => new TokenMdp(1, new Map([[context, change]])).expectedReturn);
      expect(mdp.gradient[place]).toBeCloseTo((up! - down!) / (2 * step), 8);
    }
  });
});

describe('law 6', () => {
  // Mutations that turn one of these red: in `leaveOneOut`, omit `* values.length / (values.length - 1)`; in
  // `returnsToGo`, start every token with only the reward of its own turn; in algo-reinforce, use the mean of the same
  // batch as the moving mean, or a token mean instead of `sequence-mean-token-sum`; in `generalizedAdvantages`, omit `-
  // before`, or carry the value of an observation across a gap; in `groupNormalized`, divide by the deviation with
  // `scaling: none`.
  const unbiased = variants.filter(({ multiple }) => multiple !== undefined);
  it.each(unbiased.map((variant) => [variant.name, variant] as const))('%s is unbiased', async (_, variant) => {
    const { deviations } = await measure(variant);
    expect(Math.abs(deviations(variant.multiple as number))).toBeLessThan(5);
  });

  // The test above can fail: estimators with a known bias are far outside its limit.
  it.each(['REINFORCE + ReBN', 'GRPO, sums over episodes', 'PPO, ignorant critic, lambda 0.8'])(
    '%s is biased, and it shows',
    async (name) => {
      expect((await measure(named(name))).deviations(1)).toBeGreaterThan(25);
    },
  );

  it('GRPO leans away from the gradient, by its deviation; without it the direction is right', async () => {
    const [grpo, drGrpo] = [await measure(named('GRPO')), await measure(named('Dr. GRPO'))];
    expect(grpo.angle).toBeGreaterThan(15);
    expect(drGrpo.angle).toBeLessThan(2 * drGrpo.angleNoise);
    // Tasks with a wide spread of returns count less. This causes the bias, not the mean over tokens.
    const sums = await measure(named('GRPO, sums over episodes'));
    expect(sums.angle).toBeGreaterThan(15);
  });

  it('baselines and critics take noise away, and an ignorant critic with lambda 1 is no critic', async () => {
    const [plain, moving, rloo, ppo, ignorant] = await Promise.all(
      ['REINFORCE', 'REINFORCE, moving baseline', 'RLOO', 'PPO, exact critic', 'PPO, ignorant critic, lambda 1'].map(
        (name) => measure(named(name)),
      ),
    );
    expect(moving!.noise).toBeLessThan(0.8 * plain!.noise);
    expect(rloo!.noise).toBeLessThan(0.85 * plain!.noise);
    expect(ppo!.noise).toBeLessThan(0.65 * plain!.noise);
    expect(ignorant!.noise).toBeCloseTo(plain!.noise, 9);
  });
});
