import type { LayoutPart, LayoutPiece } from './chat-layout.js';
import type { TextTokenizer } from './text-tokenizer.js';

/** Compiles *trusted* parts of a template: the spellings of control tokens become their ids. */
export function compileLayout(parts: readonly LayoutPart[], tokenizer: TextTokenizer): LayoutPiece[] {
  return parts.flatMap((part): LayoutPiece[] =>
    'slot' in part
      ? [part]
      : tokenizer.splitAddedTokens(part.text).map((piece) => (typeof piece === 'number' ? piece : { text: piece })),
  );
}
