import type { FunctionCallSyntax } from '@agentgym/cli';

import type { TextTokenizer } from './text-tokenizer.js';

/** Splits texts of function calls at the control tokens that the template writes in them, and nowhere else. */
export interface FollowedCalls {
  readonly syntax: FunctionCallSyntax;
  /** Splits a system text that contains a text of `syntax.describe`. */
  readonly splitSystem: (system: string) => readonly (string | number)[];
  /** Splits an action that ends with a call. */
  readonly splitAction: (text: string) => readonly (string | number)[];
}

/** Texts about functions that are remembered; searched for each system text. */
const MOST_DESCRIBED = 256;

/** Remembers the described functions, so that only the template's own text gets control tokens. */
export function followFunctionCalls(syntax: FunctionCallSyntax, tokenizer: TextTokenizer): FollowedCalls {
  const { before, after } = syntax;
  const described = new Set<string>();
  return {
    syntax: {
      ...syntax,
      describe(functions) {
        const text = syntax.describe(functions);
        if (text === undefined) return text;
        // The newest is the last. A server describes the functions of every client.
        described.delete(text);
        described.add(text);
        for (const oldest of described) {
          if (described.size <= MOST_DESCRIBED) break;
          described.delete(oldest);
        }
        return text;
      },
    },
    splitSystem(system) {
      const own = [...described].find((text) => system.includes(text));
      if (own === undefined) return [system];
      const start = system.lastIndexOf(own);
      const end = start + own.length;
      return [system.slice(0, start), ...tokenizer.splitAddedTokens(own), system.slice(end)];
    },
    splitAction(text) {
      const inside = text.lastIndexOf(before) + before.length;
      if (inside < before.length || !text.endsWith(after) || text.length < inside + after.length) return [text];
      return [
        text.slice(0, inside - before.length),
        ...tokenizer.splitAddedTokens(before),
        text.slice(inside, text.length - after.length),
        ...tokenizer.splitAddedTokens(after),
      ];
    },
  };
}
