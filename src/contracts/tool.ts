import type { Awaitable } from './environment.js';
import type { FunctionDefinition, ToolResult } from './function-calls.js';
import type { EnvironmentHost } from './host.js';
import type { Json } from './json.js';
import type { Random } from './random.js';
import type { Sandbox, SandboxOptions } from './sandbox.js';

/** How a tool reads an agent's text: as a call, or as an unreadable attempt at a call. */
export type ToolReading =
  | { readonly call: Json }
  | {
      /** Why the text is not a call: a clause that the agent sees after the tool's name. */
      readonly malformed: string;
    };

/** A tool as a function, for action formats with function calls. Its name is that of the tool. */
export interface ToolFunction extends Omit<FunctionDefinition, 'name'> {
  /** Reads the arguments of a call, which may be of any type. Its `call` is one that `run` of a session takes. */
  readonly read: (values: { readonly [name: string]: Json }) => ToolReading;
}

/** The arguments of running a call. */
export interface ToolContext {
  /** A random stream for this call only. */
  readonly random: Random;
  /** Aborted when the deadline of the call passes or the user interrupts. */
  readonly signal: AbortSignal;
}

/** What a session is told when its episode makes the first call. */
export interface ToolBeginning {
  /** A random stream for this session only. */
  readonly random: Random;
  /** The task, as its environment names it. The name may contain the answer: do not show it to the agent. */
  readonly task: string;
  /** A whole number below 2 ** 48 of this session's stream, for services that take a seed. */
  readonly seed: number;
  /** The sandbox of the episode, which its world and its other tools share. Present if the tool declares `sandbox`. */
  readonly sandbox?: Sandbox;
}

/**
 * The state of a tool in one episode. Calls come one at a time, each after the answer to the previous call, also if one text
 * makes several. The same
 * calls with the same streams give the same answers, unless the contribution is `external`.
 */
export interface ToolSession {
  /**
   * Carries out a call that this tool's `parse` returned.
   *
   * For a mistake of the agent, answer with `failed`; the agent then continues. For a fault that the agent cannot
   * avoid, such as a server that is down, throw: the episode then *failed* and is played again, and the policy learns
   * nothing from it. If a call runs out of time because the agent asked for too much, answer with `failed` after the
   * signal is aborted. A call without an answer one second later counts as thrown.
   */
  run(call: Json, context: ToolContext): Awaitable<ToolResult>;
  /** Frees the resources of the session, also during a call; safe to call twice. */
  dispose?(): Awaitable<void>;
}

/**
 * Something that an agent can use besides the environment. A turn that calls a tool does not reach the environment: the
 * tool's output is the next observation, the environment's facts do not change, and its own reward is 0. The turn
 * counts towards the horizon. A text may make several calls; their outputs are one observation, in the order of the calls.
 *
 * An instance serves many episodes side by side. Keep the state of an episode in that episode's session.
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
 *       return word === undefined ? { malformed: 'write one word between the tags' } : { call: word };
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
  /** Added to the system prompt: what the tool does, and how to call it. */
  readonly instructions: string;
  /** A text that it reads as a call. */
  readonly example: string;
  /**
   * Reads any string without throwing: empty, 10 MB long, or full of control characters. Returns undefined for texts
   * that are not meant for it; these go to the other tools, then to the action format.
   */
  parse(text: string): ToolReading | undefined;
  /**
   * The tool as a function. With an action format that has function calls, the prompt describes the function instead of
   * `instructions`, and calls in that format reach the tool.
   */
  readonly function?: ToolFunction;
  /**
   * What programs of an episode may use. The host opens a sandbox at the first call, unless the world has asked for one, and
   * closes it with the episode. Absent: `begin` gets none.
   */
  readonly sandbox?: SandboxOptions;
  /** Starts an episode, at its first call. An exception makes a *failed* episode. */
  begin(context: ToolBeginning): Awaitable<ToolSession>;
  /** Frees the resources of the instance, after its last session; safe to call twice. */
  dispose?(): Awaitable<void>;
}

/** The exports of the module of a tool contribution. */
export interface ToolModule<Options> {
  readonly create: (options: Options, host: EnvironmentHost) => Awaitable<Tool>;
}
