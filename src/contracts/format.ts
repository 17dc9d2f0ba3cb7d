import type { Host } from './host.js';

/** What an action format made of a policy's text: an action for the environment, or the reply to text it could not read. */
export type ParsedAction =
  | { readonly action: string }
  | {
      /** Why the text is no action, for the log. */
      readonly malformed: string;
      /** What the agent is shown instead of a reply of the environment, which is not stepped. */
      readonly observation: string;
    };

/**
 * How a policy writes its actions. It belongs to the policy, never to the environment. A turn whose text is malformed is a turn:
 * it counts towards the horizon, its facts are those of the turn before with `invalid: true`.
 *
 * @example
 * ```ts
 * const shouting: ActionFormat = {
 *   instructions: 'Write your action in capitals.',
 *   parse: (text) =>
 *     text === text.toUpperCase() ? { action: text.toLowerCase() } : { malformed: 'not in capitals', observation: 'Louder!' },
 *   render: (action) => action.toUpperCase(),
 * };
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
  create(options: Options, host: Host): ActionFormat;
}
