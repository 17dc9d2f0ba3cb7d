// A game as TextWorld's `.json` files hold it, whether read from a file or generated.
import type { Action, Entity, Fact, Logic } from '../logic/logic.js';

/** What is known of an entity besides its facts. */
export interface EntityInfo {
  readonly id: string;
  readonly type: string;
  /** The printed name; `null` for the player and the inventory. */
  readonly name: string | null;
  readonly noun: string | null;
  readonly adjective: string | null;
  /** Text of `examine` or `look`, with conditions in square brackets (`[if open]...[end if]`). */
  readonly description: string | null;
  /** `the` if null; an empty text means no article. */
  readonly definite: string | null;
  /** `a` or `an` if null; an empty text means no article. */
  readonly indefinite: string | null;
  readonly synonyms: readonly string[];
  readonly roomType: string | null;
}

/** Happens as soon as all facts of `condition` hold. */
export interface GameEvent {
  readonly condition: readonly Fact[];
  /** Actions that lead to it, if they are known. */
  readonly actions: readonly Action[];
  readonly commands: readonly string[];
}

/** A part of the goal: done when one of `wins` happens, failed when one of `fails` happens. */
export interface Quest {
  readonly description: string;
  readonly reward: number;
  readonly wins: readonly GameEvent[];
  readonly fails: readonly GameEvent[];
  readonly optional: boolean;
  readonly repeatable: boolean;
  readonly commands: readonly string[];
}

/** Everything about a game that playing does not change. */
export interface Game {
  readonly logic: Logic;
  /** Facts at the start. Things are listed in the order of these facts. */
  readonly facts: readonly Fact[];
  readonly entities: ReadonlyMap<string, Entity>;
  readonly infos: ReadonlyMap<string, EntityInfo>;
  readonly quests: readonly Quest[];
  /** What the game tells the player at the start. */
  readonly objective: string;
  /** Commands that win from the start; undefined if the maker of the game gave none. */
  readonly walkthrough: readonly string[] | undefined;
  /** Sum of the rewards of all quests that can be earned; infinite if a rewarded quest is repeatable. */
  readonly maximumScore: number;
}
