import type { TextTokenizer } from './text-tokenizer.js';

/** How a text that is no part of a conversation is encoded. */
export interface WholeText {
  /** With the control tokens that the tokenizer puts around a text, such as a first token. */
  readonly addSpecial: boolean;
  /** Spellings of control tokens in the text are these tokens. */
  readonly parseSpecial: boolean;
}

/** Encodes texts as `tokenizers` does: `add_special_tokens`, and `encode` of a text that is trusted. */
export function wholeTextEncoder(json: string, tokenizer: TextTokenizer) {
  let around: { readonly before: readonly number[]; readonly after: readonly number[] } | undefined;
  return (text: string, { addSpecial, parseSpecial }: WholeText): readonly number[] => {
    const pieces = parseSpecial ? tokenizer.splitAddedTokens(text) : [text];
    if (!addSpecial) return tokenizer.encodePieces(pieces);
    around ??= tokensAround(JSON.parse(json) as { readonly post_processor?: Processor | null }, tokenizer);
    return tokenizer.encodePieces([...around.before, ...pieces, ...around.after]);
  };
}

/** A post-processor of tokenizer.json. Other types add nothing. */
interface Processor {
  readonly type?: string;
  readonly processors?: readonly Processor[];
  /** Of `TemplateProcessing`: what a single text becomes. */
  readonly single?: readonly { readonly SpecialToken?: { readonly id: string }; readonly Sequence?: object }[];
}

function tokensAround(
  { post_processor: processor }: { readonly post_processor?: Processor | null },
  tokenizer: TextTokenizer,
) {
  const parts = templateOf(processor) ?? [];
  const text = parts.findIndex(({ Sequence }) => Sequence !== undefined);
  const ids = parts.map(({ SpecialToken }) => SpecialToken && tokenizer.addedToken(SpecialToken.id));
  const known = (some: typeof ids) => some.filter((id) => id !== undefined);
  return { before: known(ids.slice(0, Math.max(0, text))), after: known(ids.slice(text + 1)) };
}

function templateOf(processor: Processor | null | undefined): Processor['single'] {
  if (processor?.type === 'TemplateProcessing') return processor.single;
  return processor?.processors?.map(templateOf).find((found) => found !== undefined);
}
