import type { Json } from '@agentgym/cli';

import type { Action, Outcome } from '../world/world-state.js';
import type { GridWorld } from '../world/world.js';

/** The answer to a text of the agent. */
export interface LevelTurn {
  readonly observation: string;
  readonly reward: number;
  /** Why nothing was done: the text is no action, or nothing that is possible here. */
  readonly refused?: string;
  readonly success: boolean;
  readonly terminated: boolean;
  readonly truncated: boolean;
}

/** A level in play, from texts to texts. */
export interface LevelEpisode {
  readonly world: GridWorld;
  /** Low-level actions so far. */
  readonly moves: readonly Action[];
  readonly isOver: boolean;
  /** What can be done now: words and their low-level actions. */
  readonly menu: ReadonlyMap<string, readonly Action[]>;
  start(): string;
  step(text: string): LevelTurn;
  /** Plays the low-level actions of an entry of the menu in a copy of the world, as `step` would. */
  simulate(copy: GridWorld, moves: readonly Action[]): Outcome;
  /** Everything that the future depends on. */
  key(): string;
  snapshot(): Json;
  restore(state: Json): void;
}
