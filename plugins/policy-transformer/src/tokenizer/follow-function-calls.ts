import type { FunctionCallSyntax } from '@agentgym/cli';

import { compileLayout, type LayoutPiece } from './compile-layout.js';
import type { TextTokenizer } from './text-tokenizer.js';

/** Splits texts of function calls at the control tokens that the template writes in them, and nowhere else. */
export interface FollowedCalls {
  readonly syntax: FunctionCallSyntax;
  /** Splits a system text that contains a text of `syntax.describe`. */
  readonly splitSystem: (system: string) => readonly LayoutPiece[];
  /** Splits an action that ends with a call. */
  readonly splitAction: (text: string) => readonly LayoutPiece[];
}

/** Remembers the described functions, so that only the template's own text gets control tokens. */
export function followFunctionCalls(syntax: FunctionCallSyntax, tokenizer: TextTokenizer): FollowedCalls {
  const { before, after } = syntax;
  const described = new Set<string>();
  return {
    syntax: {
      ...syntax,
      describe(functions) {
        const text = syntax.describe(functions);
        if (text !== undefined) described.add(text);
        return text;
      },
    },
    splitSystem(system) {
      const own = [...described].find((text) => system.includes(text));
      if (own === undefined) return [{ text: system }];
      const start = system.lastIndexOf(own);
      const end = start + own.length;
      return [
        { text: system.slice(0, start) },
        ...compileLayout([{ text: own }], tokenizer),
        { text: system.slice(end) },
      ];
    },
    splitAction(text) {
      const inside = text.lastIndexOf(before) + before.length;
      if (inside < before.length || !text.endsWith(after) || text.length < inside + after.length) return [{ text }];
      return [
        { text: text.slice(0, inside - before.length) },
        ...compileLayout([{ text: before }], tokenizer),
        { text: text.slice(inside, text.length - after.length) },
        ...compileLayout([{ text: after }], tokenizer),
      ];
    },
  };
}
