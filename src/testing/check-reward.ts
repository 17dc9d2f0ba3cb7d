import type { RewardBounds, RewardModule, RewardScheme, RewardTurn } from '../contracts/reward.js';
import { createRandom } from '../random/create-random.js';
import { declareKit, findingsOf, runKit, type KitCheck, type KitReport, type KitSettings } from './conformance-kit.js';
import type { DeclareTest } from './declare-test.js';
import { callsOfMathRandom, changedGlobals, withOtherClock } from './disturb-process.js';
import type { Finding } from './finding.js';
import { simulateEpisode, type SimulatedEpisode } from './simulate-reward-turns.js';
import { requireMembers } from './require-members.js';
import { testHost } from './test-host.js';
import { clock, globalRandom, globalState } from './shared-cures.js';

/** A reward scheme for the kit: its module, and options to test it with. */
export interface RewardSubject<Options> extends RewardModule<Options> {
  readonly options: Options;
}

export interface RewardCheckSettings extends KitSettings {
  /** Number of episodes to simulate. */
  readonly episodes?: number;
  /** The scheme is used next to an outcome reward: success must stay above failure after adding 1 for a success. */
  readonly term?: boolean | 'where it pays nothing';
}

interface ScoredEpisode extends SimulatedEpisode {
  readonly scores: readonly number[];
  readonly total: number;
  readonly bounds: RewardBounds;
  /** The return, discounted by `discount` per turn. */
  readonly discounted: { readonly discount: number; readonly total: number; readonly bounds: RewardBounds };
}

interface Context {
  create(): RewardScheme;
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

/** The first finding of each kind is enough. */
function first<T>(items: readonly T[], sentence: (item: T) => string | undefined): readonly string[] {
  for (const item of items) {
    const found = sentence(item);
    if (found !== undefined) return [found];
  }
  return [];
}

/** The return and the violated bounds, in words; undefined if the return lies within them. */
function outsideBounds(total: number, bounds: RewardBounds, success: boolean): string | undefined {
  const [low, high] = success ? bounds.success : bounds.failure;
  return total >= low - rounding && total <= high + rounding ? undefined : `${total}, outside [${low}, ${high}]`;
}

function copy(turn: RewardTurn): RewardTurn {
  return structuredClone(turn);
}

export const rewardChecks: readonly KitCheck<Context>[] = [
  {
    id: 'finite',
    title: 'every score is a finite number',
    severity: 'error',
    likelyCause: 'the scheme reads an absent fact (progress, milestones, previous) as a number',
    why: 'One NaN makes every advantage of its group NaN.',
    cure: 'Set a default for facts that may be absent (progress, milestones, previous) before computing with them.',
    run: ({ episodes }) =>
      first(episodes, (episode) => {
        const turn = episode.scores.findIndex((score) => !Number.isFinite(score));
        return turn === -1 ? undefined : `turn ${turn} of ${describeEpisode(episode)} scores ${episode.scores[turn]}`;
      }),
  },
  {
    id: 'pure',
    title: 'the score of a turn depends only on the turn, and score() does not change the turn',
    severity: 'error',
    likelyCause: 'the scheme remembers turns; the past is in `previous`',
    why: 'Episodes are scored in any order, and again when a run is resumed.',
    cure: 'Read the past from `previous`, keep no state in the scheme, and do not change the turn.',
    run: ({ scheme, episodes }) => {
      for (const { turns, scores } of [...episodes].reverse()) {
        for (const [index, turn] of [...turns.entries()].reverse()) {
          const given = copy(turn);
          const score = scheme.score(given);
          if (!Object.is(score, scores[index])) return [`turn ${index} first scored ${scores[index]}, later ${score}`];
          if (JSON.stringify(given) !== JSON.stringify(turn)) return [`score() changed its turn`];
        }
      }
      return [];
    },
  },
  {
    id: 'bounds-ordered',
    title: 'bounds are finite, with the low bound first',
    severity: 'error',
    likelyCause: 'low and high are swapped, or a bound grows without limit',
    why: 'agentgym checks recipes against the bounds before a run.',
    cure: 'Return [low, high], both finite, for success and for failure.',
    run: ({ episodes }) =>
      first(episodes, ({ bounds, context }) => {
        const wrong = [bounds.success, bounds.failure].find(
          ([low, high]) => !(Number.isFinite(low) && Number.isFinite(high) && low <= high),
        );
        return wrong && `bounds(${JSON.stringify(context)}) has [${wrong.join(', ')}]`;
      }),
  },
  {
    id: 'bounds-hold',
    title: 'the return of every episode lies within the bounds',
    severity: 'error',
    likelyCause: 'bounds() does not count a penalty or a bonus',
    why: 'With a wrong bound, a recipe that rewards failure passes the check.',
    cure: 'Count every bonus and every penalty in bounds(), for as many turns as the horizon has.',
    run: ({ episodes }) =>
      first(episodes, (episode) => {
        const outside = outsideBounds(episode.total, episode.bounds, episode.success);
        return outside && `${describeEpisode(episode)} returns ${outside}`;
      }),
  },
  {
    id: 'bounds-discounted',
    title: 'discounted returns lie within the discounted bounds',
    severity: 'error',
    likelyCause:
      'bounds() does not read `discount`: a success in the last turn is worth discount ** (horizon - 1) times its value',
    why: 'With a discount a late success may be worth less than an early bonus, and no check would find it.',
    cure: 'Read `discount` in bounds(): a reward in the last turn is worth discount ** (horizon - 1) times its value.',
    run: ({ episodes }) =>
      first(episodes, (episode) => {
        const { discount, total, bounds } = episode.discounted;
        const outside = outsideBounds(total, bounds, episode.success);
        return outside && `${describeEpisode(episode)} returns, with discount ${discount}, ${outside}`;
      }),
  },
  {
    id: 'success-above-failure',
    title: 'with these options every success returns more than every failure',
    severity: 'error',
    likelyCause: 'the sum of intermediate rewards can exceed the outcome reward',
    why: 'If a failure can score above a success, the agent learns to fail.',
    cure: 'Scale intermediate rewards so that by default their sum is less than the outcome reward.',
    run: ({ episodes, outcome }) =>
      first(episodes, ({ bounds: { success, failure }, context }) =>
        success[0] + outcome > failure[1]
          ? undefined
          : `a success may return ${success[0] + outcome} and a failure ${failure[1]}: bounds(${JSON.stringify(context)})`,
      ),
  },
  {
    id: 'density',
    title: 'a scheme with density `outcome` rewards at most one turn of an episode',
    severity: 'error',
    likelyCause: 'the outcome is paid again on later turns; compare with `previous`',
    why: 'Reports and advice use this word to separate sparse from dense rewards.',
    cure: "Reward at most one turn, or declare density: 'turn'.",
    run: ({ scheme, episodes }) =>
      first(episodes, (episode) => {
        const rewarded = episode.scores.filter((score) => score !== 0).length;
        if (scheme.density !== 'outcome' || rewarded <= 1) return undefined;
        return `${rewarded} turns get a reward in ${describeEpisode(episode)}`;
      }),
  },
  {
    id: 'global-random',
    title: 'the scheme does not call Math.random',
    severity: 'error',
    likelyCause: 'the score contains noise, or a library draws random numbers',
    ...globalRandom,
    run: async (context) => {
      const places = await callsOfMathRandom(() => scoreAgain(context));
      return places.slice(0, 3).map((place) => `Math.random is called ${place}`);
    },
  },
  {
    id: 'clock',
    title: 'scores and bounds are the same at another date and time',
    severity: 'error',
    likelyCause: 'the code reads Date.now or performance.now; a price for seconds is not a fact of the turn',
    ...clock,
    run: async (context) => {
      const found = await withOtherClock(() => scoreAgain(context));
      return found === undefined ? [] : [`forty days later ${found}`];
    },
  },
  {
    id: 'global-state',
    title: 'the global state of the process does not change',
    severity: 'error',
    likelyCause: 'process.on, or an assignment to a global',
    ...globalState,
    run: async (context) => (await changedGlobals(() => scoreAgain(context))).map((name) => `${name} changed`),
  },
];

/** Checks a reward scheme against its contract, on simulated episodes, and reports the outcome of each check. */
export async function examineReward<Options>(
  subject: RewardSubject<Options>,
  settings: RewardCheckSettings = {},
): Promise<KitReport> {
  const checks = await runKit(rewardChecks, settings, () => {
    const create = (): RewardScheme => subject.create(subject.options, testHost(settings.seed));
    const scheme = create();
    checkRewardShape(scheme);
    const random = createRandom(settings.seed ?? 0);
    const episodes = Array.from({ length: settings.episodes ?? 500 }, (_, index) => {
      const stream = random.stream('episode', index);
      const episode = simulateEpisode(stream);
      const scores = episode.turns.map((turn) => scheme.score(copy(turn)));
      const discount = stream.uniform();
      const sum = (factor: number) => scores.reduce((total, score, turn) => total + factor ** turn * score, 0);
      return {
        ...episode,
        scores,
        total: sum(1),
        bounds: scheme.bounds(episode.context),
        discounted: { discount, total: sum(discount), bounds: scheme.bounds({ ...episode.context, discount }) },
      };
    });
    return { create, scheme, episodes, outcome: outcomeBeside(episodes, settings.term) };
  });
  return { checks };
}

/**
 * Checks a reward scheme against its contract, on simulated episodes, and returns findings. The list is empty if all
 * checks pass.
 */
export async function checkReward<Options>(
  subject: RewardSubject<Options>,
  settings: RewardCheckSettings = {},
): Promise<Finding[]> {
  return findingsOf(await examineReward(subject, settings));
}

/** Throws if the result of `create` is not a reward scheme. */
function checkRewardShape(scheme: unknown): void {
  requireMembers('create()', scheme, { density: 'string', score: 'function', bounds: 'function' });
  const { density } = scheme as RewardScheme;
  if (density !== 'outcome' && density !== 'turn')
    throw new Error(`create().density: must be 'outcome' or 'turn', not ${JSON.stringify(density)}`);
}

/**
 * A scheme that pays for nothing is a price, which is always used next to an outcome reward, unless the caller says
 * otherwise.
 */
function outcomeBeside(
  episodes: readonly ScoredEpisode[],
  term: boolean | 'where it pays nothing' | undefined,
): number {
  if (term !== 'where it pays nothing') return term === true ? 1 : 0;
  return episodes.every(({ bounds: { success, failure } }) => success[1] <= 0 && failure[1] <= 0) ? 1 : 0;
}

/** Scores all episodes again with a new scheme. */
function scoreAgain(kit: Context): string | undefined {
  const scheme = kit.create();
  for (const { turns, scores, context, bounds } of kit.episodes) {
    const index = turns.findIndex((turn, at) => !Object.is(scheme.score(copy(turn)), scores[at]));
    if (index !== -1) return `turn ${index} scores another number than ${scores[index]}`;
    if (JSON.stringify(scheme.bounds(context)) !== JSON.stringify(bounds))
      return `bounds(${JSON.stringify(context)}) differ`;
  }
  return undefined;
}

/** Declares the kit as tests, one for each check. `it` is the function of the test runner. */
export function describeReward<Options>(
  it: DeclareTest,
  subject: RewardSubject<Options>,
  settings: RewardCheckSettings = {},
): void {
  declareKit(it, rewardChecks, settings, () => checkReward(subject, settings));
}
