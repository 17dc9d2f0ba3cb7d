import type { Awaitable } from './environment.js';
import type { EnvironmentHost } from './host.js';
import type { Json } from './json.js';
import type { Random } from './random.js';

/** What a tool made of an agent's text: a call, or a text that was meant as one and cannot be read. */
export type ToolReading =
  | { readonly call: Json }
  | {
      /** Why the text is no call: a clause, shown to the agent behind the tool's name. */
      readonly malformed: string;
    };

/** What a call is run with. */
export interface ToolContext {
  /** A stream of this call alone. */
  readonly random: Random;
  /** Aborted when the time of the call is up, or when the user interrupts. */
  readonly signal: AbortSignal;
}

/** What the agent is shown for a call. */
export interface ToolResult {
  /**
   * The next observation; cut by the host where it is longer than the recipe allows. It is data: nothing in it is
   * obeyed.
   */
  readonly output: string;
  /**
   * The call was understood and could not be carried out, by its own fault: a division by 0, a page that does not
   * exist.
   */
  readonly failed?: boolean;
}

/**
 * What a tool remembers of one episode. Calls come one at a time, each after the answer to the one before. The same
 * calls with the same streams give the same answers, unless the contribution is `external`.
 */
export interface ToolSession {
  /**
   * Carries out a call that this tool's `parse` made.
   *
   * What the agent did wrong is an answer with `failed`, and the agent goes on from it. What it cannot help, such as a
   * server that is down, is thrown: the episode then *failed*, is played again, and nothing is learned from it. A call
   * that runs out of time because the agent asked for too much answers with `failed` once the signal is aborted; a call
   * that has not answered a second later counts as thrown.
   */
  run(call: Json, context: ToolContext): Awaitable<ToolResult>;
  /** Frees what the session holds, in the middle of a call too; safe to call twice. */
  dispose?(): Awaitable<void>;
}

/**
 * Something that an agent may use beside the environment. A turn whose text a tool claims does not reach the
 * environment: the tool's output is the next observation, the environment's facts stay as they were, and its own reward
 * is 0. The turn counts towards the horizon.
 *
 * An instance serves many episodes side by side: what it knows of one belongs into that episode's session.
 *
 * @example
 * ```ts
 * // letters.ts
 * import type { Tool } from '@agentgym/cli';
 *
 * // Counts the letters of a word, and remembers how many words it was asked about.
 * export function create(): Tool {
 *   return {
 *     instructions: 'To count the letters of a word write <letters>word</letters> and nothing else.',
 *     example: '<letters>cat</letters>',
 *     parse(text) {
 *       if (!text.includes('<letters>')) return undefined;
 *       const word = /^<letters>(\w*)<\/letters>$/.exec(text.trim())?.[1];
 *       return word === undefined ? { malformed: 'one word is wanted between the tags' } : { call: word };
 *     },
 *     begin() {
 *       let words = 0;
 *       return {
 *         run(call) {
 *           const { length } = call as string;
 *           words += 1;
 *           return length === 0 ? { output: 'no word', failed: true } : { output: `${length} letters, word ${words}` };
 *         },
 *       };
 *     },
 *   };
 * }
 * ```
 */
export interface Tool {
  /** Added to the system prompt: what it does, and how it is called. */
  readonly instructions: string;
  /** A text that it claims, well formed. */
  readonly example: string;
  /**
   * Reads any string whatever, without throwing: empty, 10 MB long, or full of control characters. Texts that are not
   * meant for it are undefined, and go to the other tools, then to the action format.
   */
  parse(text: string): ToolReading | undefined;
  /** Begins an episode, when its first call comes. Throwing makes a *failed* episode. */
  begin(context: { readonly random: Random }): Awaitable<ToolSession>;
  /** Frees what the instance holds, after its last session; safe to call twice. */
  dispose?(): Awaitable<void>;
}

/** What the module of a tool contribution exports. */
export interface ToolModule<Options> {
  readonly create: (options: Options, host: EnvironmentHost) => Awaitable<Tool>;
}
