import type { FunctionCallSyntax, FunctionDefinition } from '@agentgym/cli';

import type { CallLayout } from './chat-layout.js';
import { findCalls } from './find-calls.js';
import { limitTime } from './limit-time.js';
import type { TextTokenizer } from './text-tokenizer.js';
import { traceContents } from './trace-contents.js';

/** Splits texts of function calls at the control tokens that the template writes in them, and nowhere else. */
export interface FollowedCalls {
  readonly syntax: FunctionCallSyntax;
  /** Splits a system text that contains a text of `syntax.describe`. */
  readonly splitSystem: (system: string) => readonly (string | number)[];
}

/** Texts about functions that are remembered; searched for each system text. */
const MOST_DESCRIBED = 256;
/** A template that passed its trial may still loop for one description. Milliseconds. */
const LONGEST = 5000;

/**
 * Remembers the described functions in pieces, so that only the template's own text gets control tokens: a name, a
 * description or a parameter of a function that spells one is text.
 *
 * @param file the file of the template, for messages
 */
export function followFunctionCalls(layout: CallLayout, tokenizer: TextTokenizer, file: string): FollowedCalls {
  const described = new Map<string, readonly (string | number)[]>();
  return {
    syntax: {
      ...layout,
      describe(functions) {
        const tools = functions.map((one) => ({ type: 'function', function: one }));
        const late = () =>
          new Error(`${file}: the chat template takes more than ${LONGEST / 1000} seconds to describe these functions`);
        const written = limitTime(LONGEST, late, () => {
          if (layout.describe(tools) === undefined) return 'elsewhere';
          return traceContents(layout.describe, tools, tokenizer.spellings);
        });
        if (written === 'elsewhere') return undefined;
        if (written === undefined) throw new Error(untraceable(file, functions, tokenizer.spellings));
        const { reveal, text, traced } = written;
        // The newest is the last. A server describes the functions of every client.
        described.delete(text);
        described.set(
          text,
          tokenizer.splitAddedTokens(traced).map((piece) => (typeof piece === 'string' ? reveal(piece) : piece)),
        );
        for (const oldest of described.keys()) {
          if (described.size <= MOST_DESCRIBED) break;
          described.delete(oldest);
        }
        return text;
      },
    },
    splitSystem(system) {
      // A text that stands behind all others is the caller's own; those before it may be quoted.
      const [last] = [...described.keys()]
        .map((text) => ({ text, start: system.lastIndexOf(text) }))
        .filter(({ start }) => start !== -1)
        .sort((a, b) => b.start + b.text.length - (a.start + a.text.length) || a.start - b.start);
      if (last === undefined) return [system];
      const end = last.start + last.text.length;
      return [system.slice(0, last.start), ...described.get(last.text)!, system.slice(end)];
    },
  };
}

/**
 * Splits the text of an action: the control tokens of its calls, and markup such as `<think>`. What a call says (its
 * name, its arguments) is text, whatever it spells.
 */
export function splitAction(
  text: string,
  { after, before }: Pick<FunctionCallSyntax, 'before' | 'after'>,
  tokenizer: TextTokenizer,
): (string | number)[] {
  const pieces: (string | number)[] = [];
  let at = 0;
  const { calls, end: known } = findCalls(text, { before, after });
  for (const { start, end } of calls) {
    pieces.push(
      ...tokenizer.splitMarkup(text.slice(at, start)),
      ...tokenizer.splitAddedTokens(before),
      text.slice(start + before.length, end - after.length),
      ...tokenizer.splitAddedTokens(after),
    );
    at = end;
  }
  return [...pieces, ...tokenizer.splitMarkup(text.slice(at, known)), text.slice(known)];
}

function untraceable(file: string, functions: readonly FunctionDefinition[], spellings: readonly string[]): string {
  const spelled = (one: FunctionDefinition) => spellings.find((spelling) => JSON.stringify(one).includes(spelling));
  const found = functions.find((one) => spelled(one) !== undefined);
  const what =
    found === undefined
      ? 'The template computes with the texts of the functions.'
      : `The function ${JSON.stringify(found.name)} spells ${JSON.stringify(spelled(found))}.`;
  return `${file}: in what the chat template writes about the functions, its control tokens cannot be told from the texts of the functions. ${what} Take texts that look like control tokens out of the names, descriptions and parameters.`;
}
