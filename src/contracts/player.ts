import type { Awaitable } from './environment.js';
import type { Random } from './random.js';

/** What a player without tokens sees when it is to act. */
export interface PlayerTurn {
  readonly task: string;
  readonly system: string;
  /** Observations so far, the present one last. */
  readonly observations: readonly string[];
  /** Its own texts so far, one fewer than the observations. */
  readonly texts: readonly string[];
  readonly random: Random;
  /** The actions that are legal now; undefined where the environment does not list them. No policy is told them. */
  readonly admissible: () => Promise<readonly string[] | undefined>;
}

/**
 * Anything outside of the environment that can play but cannot be trained: a person, a remote text model. Experts and
 * the random baseline are the environment's own (`act`).
 */
export interface Player {
  readonly name: string;
  act(turn: PlayerTurn, signal: AbortSignal): Awaitable<string>;
}
