import type { Facts } from './facts.js';
import type { Host } from './host.js';

/** One turn as a reward scheme sees it. */
export interface RewardTurn {
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

/** The exports of the module of a reward contribution. */
export interface RewardModule<Options> {
  readonly create: (options: Options, host: Host) => RewardScheme;
}
