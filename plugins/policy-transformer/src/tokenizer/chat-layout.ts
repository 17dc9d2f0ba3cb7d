import type { FunctionCallSyntax } from '@agentgym/cli';

import { stripStart } from './python-calls.js';
import { type TrimmedCharacters, trimText } from './trimmed-text.js';

/** Names of the texts that are filled in. An answer is that to a function call. */
export type Slot = 'system' | 'observation' | 'answer';

/** How a template writes a text: without these characters at its ends, or as a string of JSON. */
export interface WrittenText extends TrimmedCharacters {
  readonly json?: boolean;
}

/** Literal text of the template, or a place to be filled. */
export type LayoutPart = { readonly text: string } | { readonly slot: Slot };

/**
 * What happens to thinking blocks. `template`: as in the template, which must keep them. `keep`: they stay where they
 * were sampled, even if the template drops those of earlier turns. `drop`: those of earlier turns are dropped, as in the
 * template. `off`: the template asks for none.
 */
export type Thinking = 'template' | 'keep' | 'drop' | 'off';

/** How a template writes function calls, and what it writes about functions. */
export interface CallLayout extends Pick<FunctionCallSyntax, 'before' | 'after' | 'argumentsKey'> {
  /** The text about functions for the system text; undefined if the template writes it elsewhere. */
  readonly describe: (tools: readonly object[]) => string | undefined;
}

/** A chat template as constant pieces of one growing sequence. */
export interface ChatLayout {
  /**
   * The text before the first action, without and with a system text; the latter is absent if the template has no
   * system role.
   */
  readonly begin: readonly LayoutPart[];
  readonly beginWithSystem?: readonly LayoutPart[];
  /** The text from the end of an action, starting with its end token, up to the next action. */
  readonly append: readonly LayoutPart[];
  /**
   * The same after a function call, with its answer as a message of the role `tool`. Absent if the template has no such
   * role, or if `functionCalls` is absent.
   */
  readonly appendAnswer?: readonly LayoutPart[];
  /**
   * The end of `begin`, `append` and `appendAnswer` that the template writes only before the last action, such as an
   * empty thinking block. Empty if `thinking` is `template`.
   */
  readonly lastPrompt: string;
  /** The characters that the template removes behind a thinking block that it drops. Absent: it drops none. */
  readonly behindThoughts?: string;
  readonly writes: { readonly [S in Slot]: WrittenText };
  /** How it writes function calls; absent if it has none, or none as one JSON object. */
  readonly functionCalls?: CallLayout;
}

/** Where a model ends its thoughts. */
export const THOUGHTS_END = '</think>';

/** An action as it stands in earlier turns. One that never ends its thoughts stays whole. */
export function withoutThoughts(action: string, { behindThoughts }: Pick<ChatLayout, 'behindThoughts'>): string {
  const end = action.lastIndexOf(THOUGHTS_END);
  if (behindThoughts === undefined || end < 0) return action;
  return stripStart(action.slice(end + THOUGHTS_END.length), behindThoughts);
}

/** A piece of a compiled layout: a control token, literal text, or a place to be filled. */
export type LayoutPiece = number | LayoutPart;

/**
 * The texts of an episode in the places of a layout; control tokens stay.
 * @param splitSystem finds control tokens in a system text; default: there are none
 */
export function fillLayout(
  parts: readonly LayoutPiece[],
  texts: { readonly [S in Slot]?: string },
  { writes }: Pick<ChatLayout, 'writes'>,
  splitSystem: (system: string) => readonly (string | number)[] = (system) => [system],
): (string | number)[] {
  return parts.flatMap((part) => {
    if (typeof part === 'number') return [part];
    if ('text' in part) return [part.text];
    const { json = false, ...trimmed } = writes[part.slot];
    const text = trimText(texts[part.slot] ?? '', trimmed);
    const filled = json ? JSON.stringify(text) : text;
    return part.slot === 'system' ? splitSystem(filled) : [filled];
  });
}
