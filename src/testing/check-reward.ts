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

/** A reward scheme as the kit takes it: its module, and options to try it with. */
export interface RewardSubject<Options> extends RewardModule<Options> {
  readonly options: Options;
}

export interface RewardCheckSettings extends KitSettings {
  /** Episodes to simulate. */
  readonly episodes?: number;
  /** Also simulate environments whose progress may fall within an episode. */
  readonly progressFalls?: boolean;
  /**
   * The scheme is a term that belongs beside an outcome: success must stay above failure with 1 for a success added.
   */
  readonly term?: boolean | 'where it pays nothing';
}

interface ScoredEpisode extends SimulatedEpisode {
  readonly scores: readonly number[];
  readonly total: number;
  readonly bounds: RewardBounds;
  /** The same, discounted by `discount` a turn. */
  readonly discounted: { readonly discount: number; readonly total: number; readonly bounds: RewardBounds };
}

interface Context {
  create(): RewardScheme;
  readonly scheme: RewardScheme;
  readonly episodes: readonly ScoredEpisode[];
  /** What a success earns beside the scheme. */
  readonly outcome: number;
}

/** Sums of decimal fractions are not exact. */
const rounding = 1e-9;

function describeEpisode({ success, turns, context }: ScoredEpisode): string {
  const milestones = context.milestones === undefined ? '' : ` of an environment with ${context.milestones} milestones`;
  const progress = turns.map(({ facts }) => facts.progress ?? '-').join(' ');
  return `a ${success ? 'success' : 'failure'} of ${turns.length} turns in ${context.horizon}${milestones} (progress ${progress})`;
}

/** The first sentence of each kind is enough to go on with. */
function first<T>(items: readonly T[], sentence: (item: T) => string | undefined): readonly string[] {
  for (const item of items) {
    const found = sentence(item);
    if (found !== undefined) return [found];
  }
  return [];
}

/** The return and the bounds it leaves, in words; undefined where it keeps them. */
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
    likelyCause: 'a fact that may be absent (progress, milestones, previous) is read as a number',
    why: 'One NaN makes every advantage of its group NaN.',
    cure: 'Give facts that may be absent (progress, milestones, previous) a value before you count with them.',
    run: ({ episodes }) =>
      first(episodes, (episode) => {
        const turn = episode.scores.findIndex((score) => !Number.isFinite(score));
        return turn === -1 ? undefined : `turn ${turn} of ${describeEpisode(episode)} scores ${episode.scores[turn]}`;
      }),
  },
  {
    id: 'pure',
    title: 'the same turn scores the same, whatever was scored before, and is left as it was',
    severity: 'error',
    likelyCause: 'the scheme remembers turns; what it must know of the past stands in `previous`',
    why: 'Episodes are scored in no promised order, and again when a run is resumed.',
    cure: 'Read the past from `previous`, keep nothing in the scheme, and leave the turn as it is.',
    run: ({ scheme, episodes }) => {
      for (const { turns, scores } of [...episodes].reverse()) {
        for (const [index, turn] of [...turns.entries()].reverse()) {
          const given = copy(turn);
          const score = scheme.score(given);
          if (!Object.is(score, scores[index])) return [`turn ${index} scored ${scores[index]}, and later ${score}`];
          if (JSON.stringify(given) !== JSON.stringify(turn)) return [`score() changed the turn it was given`];
        }
      }
      return [];
    },
  },
  {
    id: 'bounds-ordered',
    title: 'bounds are finite, the low one first',
    severity: 'error',
    likelyCause: 'low and high are swapped, or a bound grows with something that has no limit',
    why: 'Recipes are checked against the bounds before anything runs.',
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
    title: 'no episode returns less or more than the bounds say',
    severity: 'error',
    likelyCause: 'a penalty or a bonus is not counted in bounds()',
    why: 'A bound that does not hold lets a recipe pass in which failing pays.',
    cure: 'Count every bonus and every penalty in bounds(), over as many turns as the horizon has.',
    run: ({ episodes }) =>
      first(episodes, (episode) => {
        const outside = outsideBounds(episode.total, episode.bounds, episode.success);
        return outside && `${describeEpisode(episode)} returns ${outside}`;
      }),
  },
  {
    id: 'bounds-discounted',
    title: 'nor do discounted returns, where the bounds are asked for a discount',
    severity: 'error',
    likelyCause: '`discount` is not read: a success in the last turn is worth discount ** (horizon - 1) of what it was',
    why: 'With a discount a late success may be worth less than an early bonus, and nobody would be told.',
    cure: 'Read `discount` in bounds(): what comes in the last turn is worth discount ** (horizon - 1) of it.',
    run: ({ episodes }) =>
      first(episodes, (episode) => {
        const { discount, total, bounds } = episode.discounted;
        const outside = outsideBounds(total, bounds, episode.success);
        return outside && `${describeEpisode(episode)} returns, discounted by ${discount} a turn, ${outside}`;
      }),
  },
  {
    id: 'success-above-failure',
    title: 'with these options every success returns more than every failure',
    severity: 'error',
    likelyCause: 'intermediate rewards can add up to more than the outcome is worth',
    why: 'Where a failure can score above a success, that is what the agent learns.',
    cure: 'Scale what is earned on the way so that all of it is less than the outcome, by default.',
    run: ({ episodes, outcome }) =>
      first(episodes, ({ bounds: { success, failure }, context }) =>
        success[0] + outcome > failure[1]
          ? undefined
          : `a success may return ${success[0] + outcome}, a failure ${failure[1]}: bounds(${JSON.stringify(context)})`,
      ),
  },
  {
    id: 'density',
    title: 'a scheme that calls itself `outcome` rewards at most one turn of an episode',
    severity: 'error',
    likelyCause: 'the outcome is paid again on turns after the one that brought it; compare with `previous`',
    why: 'Reports and advice tell sparse from dense by this word.',
    cure: "Reward one turn at most, or say density: 'turn'.",
    run: ({ scheme, episodes }) =>
      first(episodes, (episode) => {
        const rewarded = episode.scores.filter((score) => score !== 0).length;
        if (scheme.density !== 'outcome' || rewarded <= 1) return undefined;
        return `${rewarded} turns are rewarded in ${describeEpisode(episode)}`;
      }),
  },
  {
    id: 'global-random',
    title: 'Math.random is not called',
    severity: 'error',
    likelyCause: 'noise is added to the score, or a library rolls dice',
    ...globalRandom,
    run: async (context) => {
      const places = await callsOfMathRandom(() => scoreAgain(context));
      return places.slice(0, 3).map((place) => `Math.random is called ${place}`);
    },
  },
  {
    id: 'clock',
    title: 'at another time of another day every score and bound is the same',
    severity: 'error',
    likelyCause: 'Date.now or performance.now is read: a price on seconds is no fact of the turn',
    ...clock,
    run: async (context) => {
      const found = await withOtherClock(() => scoreAgain(context));
      return found === undefined ? [] : [`forty days later ${found}`];
    },
  },
  {
    id: 'global-state',
    title: 'nothing of the process is changed',
    severity: 'error',
    likelyCause: 'process.on, or an assignment to a global',
    ...globalState,
    run: async (context) => (await changedGlobals(() => scoreAgain(context))).map((name) => `${name} changed`),
  },
];

/** Checks a reward scheme against its contract, on simulated episodes, and tells what became of each check. */
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
      const episode = simulateEpisode(stream, settings.progressFalls ?? false);
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

/** Checks a reward scheme against its contract, on simulated episodes. Nothing is found in a good one. */
export async function checkReward<Options>(
  subject: RewardSubject<Options>,
  settings: RewardCheckSettings = {},
): Promise<Finding[]> {
  return findingsOf(await examineReward(subject, settings));
}

/** Throws where `create` gave something that no reward scheme can be. */
function checkRewardShape(scheme: unknown): void {
  requireMembers('create()', scheme, { density: 'string', score: 'function', bounds: 'function' });
  const { density } = scheme as RewardScheme;
  if (density !== 'outcome' && density !== 'turn')
    throw new Error(`create().density: must be 'outcome' or 'turn', not ${JSON.stringify(density)}`);
}

/** A scheme that pays for nothing is a price, which always stands beside an outcome; unless the caller knows better. */
function outcomeBeside(
  episodes: readonly ScoredEpisode[],
  term: boolean | 'where it pays nothing' | undefined,
): number {
  if (term !== 'where it pays nothing') return term === true ? 1 : 0;
  return episodes.every(({ bounds: { success, failure } }) => success[1] <= 0 && failure[1] <= 0) ? 1 : 0;
}

/** Scores everything anew with a scheme of its own. */
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

/** The kit as tests, one for each check; takes the runner's `it`. */
export function describeReward<Options>(
  it: DeclareTest,
  subject: RewardSubject<Options>,
  settings: RewardCheckSettings = {},
): void {
  declareKit(it, rewardChecks, settings, () => checkReward(subject, settings));
}
