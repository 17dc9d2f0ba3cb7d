import type { Json } from './json.js';

/** What happened in a turn, as facts: no opinion on how much it is worth. */
export interface Facts {
  /** The task is solved. */
  readonly success: boolean;
  /**
   * How much of the task is done, in [0, 1]; never falls within an episode unless the contribution says
   * `progressFalls`. There on every step where the contribution's `facts` name it, as `milestones` are.
   */
  readonly progress?: number;
  /** Subgoals reached so far and how many there are: whole numbers, 0 <= reached <= total. */
  readonly milestones?: { readonly reached: number; readonly total: number };
  /** The action was not understood or not legal in this state. */
  readonly invalid: boolean;
  /** Whatever else the environment wants on record; JSON, so that it reaches the log. */
  readonly details?: { readonly [key: string]: Json };
}

/** A fact that not every environment has: those that have it declare it. */
export type OptionalFact = 'progress' | 'milestones';
