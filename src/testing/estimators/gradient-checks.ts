// Runs an algorithm on a game with known episodes: does its expected step increase the expected return, and is it
// unbiased if the algorithm claims so?
import type { Algorithm } from '../../contracts/algorithm.js';
import type { KitCheck } from '../conformance-kit.js';
import { measureEstimator, type MeasuredEstimator } from './measure-estimator.js';
import { TokenMdp } from './token-mdp.js';

/** The part of the kit's context that these checks read. */
interface GradientContext {
  readonly algorithm: Algorithm;
  create(): Promise<Algorithm>;
  readonly seed: number;
}

/** Number of batches with two groups of four: enough to see whether the expected return increases. */
const batchesToClimb = 400;
/** Enough to show a bias of a few hundredths of the gradient. */
const batchesToCompare = 1_500;
const groupSize = 4;

/** Number of standard deviations above which a difference is not chance. */
const chance = 5;

/** A critic that is wrong everywhere, by different amounts. */
const wrongCritic = (context: string): number => ((context.length * 7) % 5) - 2;

let game: TokenMdp | undefined;

async function measure(
  context: GradientContext,
  batches: number,
  critic?: (context: string) => number,
): Promise<MeasuredEstimator> {
  game ??= new TokenMdp();
  const settings = { batches, groupSize, seed: 1 + context.seed, ...(critic && { critic }) };
  return measureEstimator(game, await context.create(), settings);
}

export const estimatorChecks: readonly KitCheck<GradientContext>[] = [
  {
    id: 'climbs',
    title: 'on an enumerable game the expected step increases the expected return',
    severity: 'error',
    likelyCause: 'a wrong sign, or rewards credited to other tokens or rows than those that earned them',
    why: 'Training would not raise the expected return, however long it takes.',
    cure: 'Credit each token with the later rewards of its own episode. Check signs and indices.',
    run: async (context) => {
      const { angle, episodes } = await measure(context, batchesToClimb);
      // An algorithm with `select` may select no episode of this game.
      if (episodes === 0) return [];
      if (Number.isNaN(angle)) return ['the expected step is zero or not a number'];
      return angle < 80
        ? []
        : [
            `the angle between the expected step and the gradient of the expected return is ${angle.toFixed(0)} degrees (90: sideways)`,
          ];
    },
  },
  {
    id: 'unbiased',
    title: 'if the algorithm claims it, the expected step is a multiple of the gradient of the expected return',
    severity: 'error',
    likelyCause:
      'a baseline contains the reward of the same token, tokens are credited with earlier rewards, or episodes are weighted by their length',
    why: 'Users choose an estimator by this claim. A bias moves the optimum, and no learning rate corrects it.',
    cure: 'Leave the episode out of its own baseline, weight episodes equally, do not normalise; or remove the claim.',
    idle: ({ algorithm }) =>
      algorithm.claims?.includes('unbiased') === true ? undefined : 'the algorithm does not claim it',
    run: async (context) => {
      const found: string[] = [];
      const critics = context.algorithm.critic === undefined ? [] : [['with a wrong critic', wrongCritic] as const];
      for (const [which, critic] of [['', undefined] as const, ...critics]) {
        const measured = await measure(context, batchesToCompare, critic);
        const deviations = measured.deviations(measured.projection);
        if (deviations <= chance) continue;
        found.push(
          `${which} the angle between the expected step and the gradient is ${measured.angle.toFixed(1)} degrees, ${deviations.toFixed(0)} standard deviations from 0`.trim(),
        );
      }
      return found;
    },
  },
];
