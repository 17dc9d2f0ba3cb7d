import type { Judge, RewardBounds, RewardModule, RewardScheme } from '../contracts/reward.js';
import { checkShape } from '../errors/check-shape.js';
import { createRandom } from '../random/create-random.js';
import { instanceShape } from '../rollout/contribution-shapes.js';
import { Kit, type KitSettings, type SubjectOf } from './conformance-kit.js';
import { firstFound } from './findings.js';
import { purityChecks } from './purity-checks.js';
import { simulateEpisode, type SimulatedEpisode } from './simulate-reward-turns.js';
import { testHost } from './test-host.js';

export interface RewardCheckSettings extends KitSettings {
  /** Number of episodes to simulate. */
  readonly episodes?: number;
  /** The scheme is used next to an outcome reward: success must stay above failure after adding 1 for a success. */
  readonly term?: boolean | 'where it pays nothing';
}

interface ScoredEpisode extends SimulatedEpisode {
  readonly scores: readonly number[];
  /** The return with each discount, and its bounds. The first is the undiscounted return. */
  readonly returns: readonly { readonly discount: number; readonly total: number; readonly bounds: RewardBounds }[];
}

interface Context {
  readonly create: () => RewardScheme;
  readonly scheme: RewardScheme;
  readonly episodes: readonly ScoredEpisode[];
  /** Reward of a success in addition to the scheme. */
  readonly outcome: number;
}

/** Sums of decimal fractions are not exact. */
const rounding = 1e-9;

function describeEpisode({ success, turns, context }: ScoredEpisode): string {
  const milestones = context.milestones === undefined ? '' : ` of an environment with ${context.milestones} milestones`;
  const progress = turns.map(({ facts }) => facts.progress ?? '-').join(' ');
  return `a ${success ? 'success' : 'failure'} of ${turns.length} turns in ${context.horizon}${milestones} (progress ${progress})`;
}

/** Whether a return lies within bounds, which must be ordered and finite. In words; undefined if it does. */
export function outsideBounds(total: number, bounds: RewardBounds, success: boolean): string | undefined {
  const [low, high] = success ? bounds.success : bounds.failure;
  if (!Number.isFinite(low) || !Number.isFinite(high) || low > high) return `has the bounds [${low}, ${high}]`;
  const fits = total >= low - rounding && total <= high + rounding;
  return fits ? undefined : `returns ${total}, outside [${low}, ${high}]`;
}

/** The scores and bounds of a new scheme. */
function answersOf({ create, episodes }: Context): unknown {
  const scheme = create();
  return episodes.map(({ turns, context }) => ({
    scores: turns.map((turn) => scheme.score(structuredClone(turn))),
    bounds: scheme.bounds(context),
  }));
}

export type RewardSubject = SubjectOf<RewardModule<never>>;

/** Creates a scheme or a judge, and checks its members. */
export function createReward(subject: RewardSubject, seed: number | undefined): RewardScheme | Judge {
  const created = subject.create(subject.options as never, testHost(seed));
  const made = checkShape(created, instanceShape('reward', created), 'create()');
  if (['outcome', 'turn'].includes(made.density)) return made;
  throw new Error(`create().density: must be 'outcome' or 'turn', not ${JSON.stringify(made.density)}`);
}

/** The same of a subject that must be a scheme. */
export function createScheme(subject: RewardSubject, seed: number | undefined): RewardScheme {
  const made = createReward(subject, seed);
  if ('judge' in made) throw new Error('create() makes a judge, which `judgeKit` checks');
  return made;
}

/** Checks a reward scheme against its contract, on simulated episodes. */
export const rewardKit = new Kit<RewardSubject, RewardCheckSettings, Context>({
  checks: [
    {
      id: 'pure',
      title: 'the score of a turn depends only on the turn, and score() does not change the turn',
      cure: 'Read the past from `previous`, keep no state in the scheme, and do not change the turn.',
      run: ({ scheme, episodes }) =>
        firstFound(episodes.toReversed(), ({ turns, scores }) =>
          firstFound([...turns.entries()].toReversed(), ([index, turn]) => {
            const given = structuredClone(turn);
            const score = scheme.score(given);
            if (!Object.is(score, scores[index])) return `turn ${index} first scored ${scores[index]}, later ${score}`;
            return JSON.stringify(given) === JSON.stringify(turn) ? undefined : 'score() changed its turn';
          }),
        ),
    },
    {
      id: 'bounds',
      title:
        'scores and bounds are finite, and the return of every episode lies within its bounds, with and without a discount',
      cure: 'Set a default for facts that may be absent. Return [low, high] for success and for failure, and count every bonus and penalty for as many turns as the horizon has; with a discount, a reward in the last turn is worth discount ** (horizon - 1) times its value.',
      run: ({ episodes }) =>
        firstFound(episodes, (episode) =>
          firstFound(episode.returns, ({ discount, total, bounds }) => {
            const outside = outsideBounds(total, bounds, episode.success);
            return outside && `${describeEpisode(episode)}, with discount ${discount}, ${outside}`;
          }),
        ),
    },
    {
      id: 'success-above-failure',
      title: 'with these options every success returns more than every failure',
      cure: 'Scale intermediate rewards so that by default their sum is less than the outcome reward.',
      run: ({ episodes, outcome }) =>
        firstFound(episodes, ({ returns, context }) => {
          const { success, failure } = returns[0]!.bounds;
          const low = success[0] + outcome;
          if (low > failure[1]) return undefined;
          return `a success may return ${low} and a failure ${failure[1]}: bounds(${JSON.stringify(context)})`;
        }),
    },
    {
      id: 'density',
      title: 'a scheme with density `outcome` rewards at most one turn of an episode',
      cure: "Compare with `previous`, so that the outcome is paid once, or declare density: 'turn'.",
      idle: ({ scheme }) => (scheme.density === 'outcome' ? undefined : 'any turn may get a reward'),
      run: ({ episodes }) =>
        firstFound(episodes, (episode) => {
          const rewarded = episode.scores.filter((score) => score !== 0).length;
          return rewarded <= 1 ? undefined : `${rewarded} turns get a reward in ${describeEpisode(episode)}`;
        }),
    },
    ...purityChecks<Context>(answersOf),
  ],
  prepare: (subject, settings) => {
    const create = () => createScheme(subject, settings.seed);
    const scheme = create();
    const random = createRandom(settings.seed ?? 0);
    const episodes = Array.from({ length: settings.episodes ?? 500 }, (_, index): ScoredEpisode => {
      const stream = random.stream('episode', index);
      const episode = simulateEpisode(stream);
      const scores = episode.turns.map((turn) => scheme.score(structuredClone(turn)));
      const returns = [1, stream.uniform()].map((discount) => {
        const total = scores.reduce((sum, score, turn) => sum + discount ** turn * score, 0);
        const context = discount === 1 ? episode.context : { ...episode.context, discount };
        return { discount, total, bounds: scheme.bounds(context) };
      });
      return { ...episode, scores, returns };
    });
    // A scheme that pays for nothing is a price, which is always used next to an outcome reward.
    const highest = episodes.map(({ returns }) =>
      Math.max(returns[0]!.bounds.success[1], returns[0]!.bounds.failure[1]),
    );
    const { term = false } = settings;
    const isTerm = term === 'where it pays nothing' ? highest.every((bound) => bound <= 0) : term;
    return { create, scheme, episodes, outcome: Number(isTerm) };
  },
});
