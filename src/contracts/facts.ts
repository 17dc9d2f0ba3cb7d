import type { Json } from './json.js';

/** What happened in a turn, as facts. A reward scheme decides what they are worth. */
export interface Facts {
  /** The task is solved. */
  readonly success: boolean;
  /**
   * Share of the task that is done, in [0, 1]; it never falls within an episode. If the contribution lists it in
   * `facts`, every step reports it; the same holds for `milestones`.
   */
  readonly progress?: number;
  /** Number of subgoals reached so far, and their total: whole numbers, 0 <= reached <= total. */
  readonly milestones?: { readonly reached: number; readonly total: number };
  /** The action was not understood or is illegal in this state. */
  readonly invalid: boolean;
  /** Any other data of the environment for the log; must be JSON. */
  readonly details?: { readonly [key: string]: Json };
}

/** A fact that only some environments report; they must declare it. `references` are told of tasks, by `about`. */
export type OptionalFact = 'progress' | 'milestones' | 'references';
