import type { Awaitable, Environment } from './environment.js';
import type { Random } from './random.js';

/** What a player without tokens sees when it is to act. */
export interface PlayerTurn {
  readonly system: string;
  /** Observations so far, the present one last. */
  readonly observations: readonly string[];
  /** Its own texts so far, one fewer than the observations. */
  readonly texts: readonly string[];
  /** The environment itself: experts and the random baseline read its state. */
  readonly environment: Environment;
  readonly random: Random;
}

/**
 * Anything that can play but cannot be trained: the random baseline, an expert, a person, a remote text model.
 */
export interface Player {
  readonly name: string;
  act(turn: PlayerTurn, signal: AbortSignal): Awaitable<string>;
}
