// What a chained quest is asked to be, and what it is.
import type { Action, Fact } from '../logic/logic.js';

export interface ChainOptions {
  /** How many actions there are, all branches together. */
  readonly minimumLength: number;
  readonly maximumLength: number;
  /** How many actions there are in a branch, from the end of the quest. */
  readonly minimumDepth: number;
  readonly maximumDepth: number;
  /** How many branches there are; a branch begins where the one before it cannot go on. */
  readonly minimumBreadth: number;
  readonly maximumBreadth: number;
  /** Whether branches may also begin where the one before could go on; `false` if absent. */
  readonly subquests?: boolean;
  /** Whether branches may have nothing in common; `false` if absent. */
  readonly independentChains?: boolean;
  /** Types of entities that actions may need without there being one yet; it is added to the world then. */
  readonly canCreate: (type: string) => boolean;
  /** Whether there may be new entities at all: decides what the random order is drawn for. */
  readonly createsEntities: boolean;
  /**
   * Names of the rules that may lead to a depth: the first list for the last action, and so on. Deeper than the lists:
   * all but `examine`, `look` and `inventory`.
   */
  readonly rulesPerDepth: readonly (readonly string[])[];
  /** When the search is given up, in units of roughly 10 ns. Absent: 500 million, about 5 s. */
  readonly effort?: number;
}

export interface ChainStep {
  readonly action: Action;
  readonly depth: number;
  readonly breadth: number;
}

export interface QuestChain {
  /** How the world is before the first step, in no particular order. */
  readonly facts: readonly Fact[];
  /** In the order of playing. */
  readonly steps: readonly ChainStep[];
}
