import type { Artifact } from './artifact.js';
import type { Json } from './json.js';

/** A function that an agent may call, as chat templates describe it. */
export interface FunctionDefinition {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of the object of arguments. */
  readonly parameters: { readonly [key: string]: Json };
}

/** A call as an agent wrote it. The function may not exist, and its arguments may be of any type. */
export interface FunctionCall {
  readonly name: string;
  readonly arguments: { readonly [name: string]: Json };
}

/** A call in a text, or why a text that begins as one is none: a clause that the agent sees. */
export type ReadCall = { readonly call: FunctionCall } | { readonly malformed: string };

/** The answer to a call. */
export interface ToolResult {
  /**
   * The next observation; the host cuts it in its middle at the limit of the recipe. It is only data and is never executed.
   */
  readonly output: string;
  /**
   * The call was understood but could not be carried out because of the call itself: a division by 0, a page that does
   * not exist.
   */
  readonly failed?: boolean;
  /** Recorded with the episode, as those of `StepResult`. At most 100 in a result. */
  readonly artifacts?: readonly Artifact[];
}

/** The functions that a format offers to an agent. Their names differ. */
export interface OfferedFunctions {
  /** Functions that are tools. */
  readonly tools: readonly FunctionDefinition[];
  /** Functions that are the actions of the environment. Empty: its actions are texts. */
  readonly actions: readonly FunctionDefinition[];
}

/** How a model writes function calls, as read from its chat template. */
export interface FunctionCallSyntax {
  /** Text before the JSON object of a call, such as `<tool_call>\n`; may be empty. */
  readonly before: string;
  /** Text after the JSON object; may be empty. */
  readonly after: string;
  /** The key of the arguments, beside `name`: `arguments` or `parameters`. */
  readonly argumentsKey: string;
  /**
   * The template's own text about functions, for the system prompt. Undefined if the template does not write it behind
   * the system text.
   */
  describe(functions: readonly FunctionDefinition[]): string | undefined;
}
