import type { Awaitable, Draw } from './environment.js';
import type { Facts } from './facts.js';
import type { Host } from './host.js';
import type { CompletedEpisode, Turn } from './trajectory.js';

/** One turn as a reward scheme sees it. */
export interface RewardTurn {
  /** What the player wrote. */
  readonly text: string;
  /** The action given to the environment; absent if the text was malformed or called a tool. */
  readonly action?: string;
  /**
   * Right answers of the task, as the environment's `about` tells them. Present for contributions whose `needs` list
   * `references`.
   */
  readonly references?: readonly string[];
  /** Facts after the turn's action. */
  readonly facts: Facts;
  /** Facts after the previous turn; absent on the first turn. */
  readonly previous?: Facts;
  /** The environment's own reward of the step; 0 if the text was malformed or called a tool. */
  readonly native: number;
  /** The action format could not read the text. */
  readonly malformed: boolean;
  /** The action reached the limit `maxActionTokens`. */
  readonly cut: boolean;
  /** Number of tokens that the policy sampled in this turn, including its end token; 0 for players without tokens. */
  readonly tokens: number;
  /**
   * The tools that the turn called instead of acting, in order; `failed`: the call got no proper answer. The facts are then those of
   * the previous turn, not invalid. Absent: it called none.
   */
  readonly calls?: readonly { readonly name: string; readonly failed: boolean }[];
  readonly terminated: boolean;
  readonly truncated: boolean;
  /** Number of the turn, from 0. */
  readonly index: number;
}

/** Lowest and highest return over all episodes with this outcome. */
export interface RewardBounds {
  readonly success: readonly [low: number, high: number];
  readonly failure: readonly [low: number, high: number];
}

/** The conditions for which bounds are computed. */
export interface BoundsContext {
  /** Number of turns of the longest episode. */
  readonly horizon: number;
  /** Absent if the environment reports no milestones. */
  readonly milestones?: number;
  /** Maximum number of tokens that a turn may sample; absent: no limit. */
  readonly actionTokens?: number;
  /** Maximum number of calls that a turn may have, which then is no action; absent: the agent has no tools. */
  readonly calls?: number;
  /** Bounds apply to the sum of `discount ** index * score` over the turns; absent: 1, the undiscounted return. */
  readonly discount?: number;
}

/**
 * Turns the facts of a turn into a number. A scheme must be pure: the same turn gives the same number, and the past is
 * in `previous`. The sum of the numbers of an episode is its undiscounted return.
 *
 * @example
 * ```ts
 * // reward.ts
 * import type { RewardScheme } from '@agentgym/cli';
 *
 * // 1 in the turn that solves the task, 0 in every other.
 * export function create(): RewardScheme {
 *   return {
 *     density: 'outcome',
 *     score: (turn) => (turn.facts.success && turn.previous?.success !== true ? 1 : 0),
 *     bounds: ({ horizon, discount = 1 }) => ({ success: [discount ** (horizon - 1), 1], failure: [0, 0] }),
 *   };
 * }
 * ```
 */
export interface RewardScheme {
  /** `outcome`: at most one turn of an episode gets a reward; `turn`: any turn may get one. */
  readonly density: 'outcome' | 'turn';
  score(turn: RewardTurn): number;
  bounds(context: BoundsContext): RewardBounds;
}

/** A turn as a judge reads it. */
export type JudgedTurn = Pick<
  Turn,
  'observation' | 'text' | 'action' | 'malformed' | 'calls' | 'cut' | 'native' | 'facts'
>;

/** A whole episode as a judge reads it. It is the judge's own copy. */
export interface JudgedEpisode extends Pick<
  CompletedEpisode,
  'task' | 'finalObservation' | 'terminated' | 'truncated' | 'success' | 'references'
> {
  /** The rules of the task. */
  readonly instructions: string;
  /** At least one. */
  readonly turns: readonly JudgedTurn[];
}

/** What a judge says of an episode. */
export interface JudgedScores {
  /** A finite number for each turn of the episode. */
  readonly scores: readonly number[];
  /** Why, in words, for the record. */
  readonly reason?: string;
  /** Tokens that judging it took, of prompts and of answers, for the budget. Absent: 0. */
  readonly tokens?: number;
}

/**
 * Turns whole episodes into numbers per turn, and takes its time: it may ask a model or run programs. It is asked when
 * all episodes of a group have ended, while later episodes play. Every judgement is kept in the run's folder, and the
 * same episodes are never judged twice, also after the run was killed and resumed.
 *
 * An exception, a late answer, or one that is no `JudgedScores` is repeated as often as `rollout.retries` says. Then the
 * episodes are *failed*: they have no reward, and nothing is learned from them. An Error with the `code` `UNAVAILABLE`
 * says that nothing can be judged now. agentgym then stops the run, and it can be resumed later.
 *
 * @example
 * ```ts
 * // judge.ts
 * import type { Judge } from '@agentgym/cli';
 *
 * // Half a point in the last turn for the shortest texts of a group.
 * export function create(): Judge {
 *   return {
 *     density: 'outcome',
 *     bounds: () => ({ success: [0, 0.5], failure: [0, 0.5] }),
 *     async judge(group) {
 *       const lengths = group.map(({ turns }) => turns.reduce((sum, { text }) => sum + text.length, 0));
 *       const shortest = Math.min(...lengths);
 *       return group.map(({ turns }, place) => ({
 *         scores: turns.map((_, turn) => (turn === turns.length - 1 && lengths[place] === shortest ? 0.5 : 0)),
 *         reason: `${lengths[place]} characters`,
 *       }));
 *     },
 *   };
 * }
 * ```
 */
export interface Judge {
  /** As that of a scheme. */
  readonly density: 'outcome' | 'turn';
  /** As those of a scheme: a judge that sees how a task ended may promise more. */
  bounds(context: BoundsContext): RewardBounds;
  /**
   * @param group the completed episodes of one task that were sampled together, in their order; in evaluations there may
   * be one. With `alone`, one episode.
   * @param call `random` depends on the episodes and the repetition alone
   * @returns a judgement for each episode
   */
  judge(group: readonly JudgedEpisode[], call: Draw): Awaitable<readonly JudgedScores[]>;
  /** The judgement of an episode does not depend on others, so each is judged in a call of its own. Absent: groups are. */
  readonly alone?: boolean;
  /** Calls at the same time; absent: 8. */
  readonly concurrency?: number;
  /** Longest time of a call; absent: 600. */
  readonly seconds?: number;
}

/** The exports of the module of a reward contribution. */
export interface RewardModule<Options> {
  readonly create: (options: Options, host: Host) => RewardScheme | Judge;
}
