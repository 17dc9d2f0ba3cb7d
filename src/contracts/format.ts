import type { Host } from './host.js';

/**
 * What an action format made of a policy's text: an action for the environment, or the reply to text it could not read.
 */
export type ParsedAction =
  | { readonly action: string }
  | {
      /** Why the text is no action, for the log. */
      readonly malformed: string;
      /** What the agent is shown instead of a reply of the environment, which is not stepped. */
      readonly observation: string;
    };

/**
 * How a policy writes its actions. It belongs to the policy, never to the environment. A turn whose text is malformed
 * is a turn: it counts towards the horizon, its facts are those of the turn before with `invalid: true`.
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
  /** Reads any string whatever, without throwing: empty, 10 MB long, or full of control characters. */
  parse(text: string): ParsedAction;
  /** The text that `parse` reads as this action: demonstrations are written with it. */
  render(action: string): string;
}

/** What the module of an action format contribution exports. */
export interface FormatModule<Options> {
  readonly create: (options: Options, host: Host) => ActionFormat;
}
