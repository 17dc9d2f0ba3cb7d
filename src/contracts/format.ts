import type { FunctionCall, FunctionCallSyntax, OfferedFunctions, ReadCall } from './function-calls.js';
import type { Host } from './host.js';

/** The result of reading a policy's text: an action for the environment, or a reply to unreadable text. */
export type ParsedAction =
  | { readonly action: string }
  | {
      /** Why the text is not an action, for the log. */
      readonly malformed: string;
      /** The next observation of the agent; the environment is not stepped. */
      readonly observation: string;
    };

/**
 * How a policy writes its actions. A format belongs to the policy, not to the environment. A turn with malformed text
 * counts towards the horizon; its facts are those of the previous turn with `invalid: true`.
 *
 * @example
 * ```ts
 * // format.ts
 * import type { ActionFormat } from '@agentgym/cli';
 *
 * export function create(): ActionFormat {
 *   return {
 *     instructions: 'Write your action behind a colon.',
 *     parse: (text) =>
 *       /^:.*\S/s.test(text)
 *         ? { action: text.slice(1) }
 *         : { malformed: 'no colon', observation: 'An action begins with a colon.' },
 *     render: (action) => `:${action}`,
 *   };
 * }
 * ```
 */
export interface ActionFormat {
  /** Added to the environment's instructions in the system prompt; may be empty. */
  readonly instructions: string;
  /** Reads any string without throwing: empty, 10 MB long, or full of control characters. */
  parse(text: string): ParsedAction;
  /**
   * The text that `parse` reads as this action; demonstrations are written with it. Throws with the reason if the format
   * cannot write the action: it never changes one.
   */
  render(action: string): string;
  /**
   * Reads all function calls of a text in their order, also of actions; empty if there are none. `parse` takes an action
   * only if it is the only call. Absent: the format has no function calls, and tools are called in their own syntax only.
   * Reads any string without throwing.
   */
  readCalls?(text: string): readonly ReadCall[];
  /** Names of the functions that are actions, if the format has function calls. */
  readonly actionNames?: readonly string[];
  /**
   * The text that `readCalls` reads as this call, or `parse` as the action, if the function is the action; demonstrations are
   * written with it. Throws with the reason if the format cannot write the call. Absent: the format writes no calls.
   */
  writeCall?(call: FunctionCall): string;
  /**
   * Whether a text calls a function, be it the action. What follows is then the answer to a call, which models with a
   * role for answers read in it. Absent: no text does. Reads any string without throwing.
   */
  callsFunction?(text: string): boolean;
  /**
   * The same format with these functions, in a model's own syntax if there is one; absent: in the syntax of this format. If the environment declares its actions as
   * functions, the action that `parse` finds and `render` writes is `{"name": ..., "arguments": {...}}`, as JSON without
   * spaces. The host asks for it before it plays.
   */
  withFunctions?(functions: OfferedFunctions, syntax?: FunctionCallSyntax): ActionFormat;
}

/** The exports of the module of an action format contribution. */
export interface FormatModule<Options> {
  readonly create: (options: Options, host: Host) => ActionFormat;
}
