import type { Awaitable } from './environment.js';
import type { Host } from './host.js';
import type { JsonObject } from './json.js';
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

/** A text, and how it ended. */
export interface PlayerAnswer {
  readonly text: string;
  /** The cap on the length of an action ended it. Default: false. */
  readonly cut?: boolean;
}

/**
 * A player outside the environment that cannot be trained: a person, or a remote text model. Experts and the random
 * baseline belong to the environment (`act`).
 */
export interface Player {
  readonly name: string;
  /** Writes the next text. `full`: the conversation fills the model's context, so the episode is truncated here. */
  act(turn: PlayerTurn, signal: AbortSignal): Awaitable<string | PlayerAnswer | { readonly full: true }>;
}

/**
 * A text model that plays, such as one behind an endpoint. Its texts are read in an action format, and it may call tools.
 *
 * `act` must end by itself: it sets its own deadlines and makes its own retries. It throws if it gets no text; the
 * episode then *failed* and is played again. An error with the `code` `UNAVAILABLE` says that nobody can play on, because
 * the server is down or a budget is spent; it ends the command.
 *
 * @example
 * ```ts
 * // echo.ts
 * import type { TextPlayer } from '@agentgym/cli';
 *
 * // Repeats the last word of each observation.
 * export function create(): TextPlayer {
 *   let texts = 0;
 *   return {
 *     name: 'echo',
 *     concurrency: 8,
 *     act({ observations }) {
 *       texts += 1;
 *       return observations.at(-1)?.split(' ').at(-1) ?? '';
 *     },
 *     describe: () => ({ model: 'echo' }),
 *     usage: () => ({ texts }),
 *   };
 * }
 * ```
 */
export interface TextPlayer extends Player {
  /** Number of episodes that it can play at the same time. */
  readonly concurrency: number;
  /** Facts for results: the model, the server. Never a secret. */
  describe(): JsonObject;
  /** What it has used so far, by name: requests, tokens, cost ... Absent: it does not count. */
  usage?(): { readonly [name: string]: number };
  /** Frees its resources; safe to call twice. */
  dispose?(): Awaitable<void>;
}

/** The arguments of creating a text player. */
export interface PlayerContext {
  /** What follows the name in `NAME:ADDRESS`, such as a URL; may be empty. */
  readonly address: string;
  /** Sampling temperature of its texts. */
  readonly temperature: number;
}

/** The exports of the module of a player contribution. */
export interface PlayerModule<Options> {
  readonly create: (options: Options, host: Host, context: PlayerContext) => Awaitable<TextPlayer>;
}
