// An algorithm's own code on a game whose every episode is known: does its expected step climb, and does it go where it
// claims to?
import type { Algorithm } from '../../contracts/algorithm.js';
import type { KitCheck } from '../conformance-kit.js';
import { measureEstimator, type MeasuredEstimator } from './measure-estimator.js';
import { TokenMdp } from './token-mdp.js';

/** What these checks read of the kit's context. */
interface GradientContext {
  readonly algorithm: Algorithm;
  create(): Promise<Algorithm>;
  readonly seed: number;
}

/** Batches of two groups of four: enough to tell uphill from sideways. */
const batchesToClimb = 400;
/** Enough for a bias of a few hundredths of the gradient to show. */
const batchesToCompare = 1_500;
const groupSize = 4;

/** Standard deviations beyond which it is no chance any more. */
const chance = 5;

/** A critic that is wrong everywhere, and differently. */
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
    title: 'on a game that can be enumerated the expected step goes uphill',
    severity: 'error',
    likelyCause: 'a sign, rewards that are credited to other tokens than those that earned them, or to other rows',
    why: 'However long it trains, the expected return would not rise.',
    cure: 'Credit each token with what came after it in its own episode, and look at signs and indices.',
    run: async (context) => {
      const { angle, episodes } = await measure(context, batchesToClimb);
      // An algorithm that chooses may find nothing worth learning in this game.
      if (episodes === 0) return [];
      if (Number.isNaN(angle)) return ['the expected step is nothing at all, or not a number'];
      return angle < 80
        ? []
        : [
            `the expected step lies ${angle.toFixed(0)} degrees from the gradient of the expected return (90: sideways)`,
          ];
    },
  },
  {
    id: 'unbiased',
    title: 'where it is claimed, the expected step is a multiple of the gradient of the expected return',
    severity: 'error',
    likelyCause:
      'a baseline knows the reward of the token it is subtracted from, tokens are credited with what came before them, or episodes are weighed by their length',
    why: 'The claim is what the estimator is chosen for: a bias moves the optimum, and no learning rate mends it.',
    cure: 'Leave the member itself out of its baseline, weigh episodes alike, do not normalise; or leave the claim out.',
    idle: ({ algorithm }) =>
      algorithm.claims?.includes('unbiased') === true ? undefined : 'the algorithm does not claim it',
    run: async (context) => {
      const found: string[] = [];
      const critics =
        context.algorithm.critic === undefined ? [] : [['with a critic that is wrong', wrongCritic] as const];
      for (const [which, critic] of [['', undefined] as const, ...critics]) {
        const measured = await measure(context, batchesToCompare, critic);
        const deviations = measured.deviations(measured.projection);
        if (deviations <= chance) continue;
        found.push(
          `${which} the expected step lies ${measured.angle.toFixed(1)} degrees from the gradient, ${deviations.toFixed(0)} standard deviations from none`.trim(),
        );
      }
      return found;
    },
  },
];
