// What the environment needs of a game in play, whoever plays it: the native engine or a real story file.
import type { Json } from '@agentgym/cli';

/** The answer to a command. */
export interface AdventureTurn {
  readonly text: string;
  /** Points so far. */
  readonly score: number;
  readonly won: boolean;
  readonly lost: boolean;
  /** TextWorld's intermediate reward: 1 nearer to the end of the quests or won, -1 farther or lost, 0 neither. */
  readonly reward: number;
  /** Why the command did nothing; absent if it was understood and possible. */
  readonly refused?: string;
}

/** What is left to do. */
export interface Remaining {
  /** Actions of the plan that the game tracks. */
  readonly actions: number;
  /** Those of them that do more than walk. */
  readonly deeds: number;
}

export interface Adventure {
  readonly objective: string;
  readonly maximumScore: number;
  /** Starts the game again and returns what the player sees. */
  start(): string;
  act(command: string): AdventureTurn;
  /** The present surroundings, as `look` would print them, and the inventory. */
  surroundings(): readonly string[];
  /** Commands that the rules allow now, sorted; none for a story without its `.json`. */
  admissible(): readonly string[];
  /** Undefined if the game tracks no plan: its quests are done, failed, or tell no actions. */
  remaining(): Remaining | undefined;
  /** The next command of a plan from here; undefined if there is none. */
  nextCommand(): string | undefined;
  /** Equal for two states exactly if all their futures are equal. */
  key(): string;
  snapshot(): Json;
  restore(state: Json): void;
  dispose?(): void;
}
