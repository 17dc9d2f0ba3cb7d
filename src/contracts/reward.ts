import type { Facts } from './facts.js';
import type { Host } from './host.js';

/** One turn as a reward scheme sees it. */
export interface RewardTurn {
  /** Facts after the turn's action. */
  readonly facts: Facts;
  /** Facts after the turn before; absent on the first turn. */
  readonly previous?: Facts;
  /** The environment's own reward of the step; 0 where the text was malformed or called a tool. */
  readonly native: number;
  /** The action format could not read the text. */
  readonly malformed: boolean;
  /** The action ran into `maxActionTokens`. */
  readonly cut: boolean;
  /** Tokens the policy sampled in this turn, its end token included; 0 for players without tokens. */
  readonly tokens: number;
  /**
   * A tool was called in the place of an action; `failed`: it gave no proper answer. The facts are then those of the
   * turn before, not invalid.
   */
  readonly toolCall?: { readonly name: string; readonly failed: boolean };
  readonly terminated: boolean;
  readonly truncated: boolean;
  /** Number of the turn, from 0. */
  readonly index: number;
}

/** Lowest and highest return, over all episodes that end in this way. */
export interface RewardBounds {
  readonly success: readonly [low: number, high: number];
  readonly failure: readonly [low: number, high: number];
}

/** What bounds are asked for. */
export interface BoundsContext {
  /** Turns of the longest episode. */
  readonly horizon: number;
  /** Absent where the environment counts none. */
  readonly milestones?: number;
  /** Tokens that a turn may sample, at most; absent: none. */
  readonly actionTokens?: number;
  /** The agent has tools: any turn may be a call. Absent: none is. */
  readonly tools?: boolean;
  /** Bounds are of the sum of `discount ** index * score` over the turns; absent: 1, the undiscounted return. */
  readonly discount?: number;
}

/**
 * Turns the facts of a turn into a number. Pure: the same turn gives the same number; whatever a scheme must know of
 * the past stands in `previous`. Over an episode a scheme's numbers add up to its undiscounted return.
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
  /** `outcome`: at most one turn of an episode is rewarded; `turn`: any turn may be. */
  readonly density: 'outcome' | 'turn';
  score(turn: RewardTurn): number;
  bounds(context: BoundsContext): RewardBounds;
}

/** What the module of a reward contribution exports. */
export interface RewardModule<Options> {
  readonly create: (options: Options, host: Host) => RewardScheme;
}
