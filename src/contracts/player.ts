import type { Awaitable } from './environment.js';
import type { Random } from './random.js';

/** The input of a player without tokens. */
export interface PlayerTurn {
  readonly task: string;
  readonly system: string;
  /** Observations so far; the last is the current one. */
  readonly observations: readonly string[];
  /** The player's own texts so far, one fewer than the observations. */
  readonly texts: readonly string[];
  readonly random: Random;
  /** The currently legal actions; undefined if the environment does not list them. A policy never sees them. */
  readonly admissible: () => Promise<readonly string[] | undefined>;
}

/**
 * A player outside the environment that cannot be trained: a person, or a remote text model. Experts and the random
 * baseline belong to the environment (`act`).
 */
export interface Player {
  readonly name: string;
  act(turn: PlayerTurn, signal: AbortSignal): Awaitable<string>;
}
