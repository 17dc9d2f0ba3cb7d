/*
 * One token per word, for models of a hundred thousand parameters: each word and each number of the training text is a
 * token, and other words are spelled letter by letter. A word includes the space before it. A space is added before
 * every line (the decoder removes it), so that a word is the same token everywhere.
 */
import type { TokenizerFiles } from './tokenizer-files.js';
import { chatFiles, endToken } from './from-scratch-files.js';

/** A line end; a word, a number or a sign, each with the space before it if there is one; or a space. */
const pattern = '\\n| ?[\\p{L}\\p{M}]+| ?\\p{N}+| ?[^\\p{L}\\p{M}\\p{N} \\n]| ';

/** Replaces characters that the training text does not have. */
const unknownToken = '\ufffd';

/** The parts of every such tokenizer. */
export const wordParts = {
  normalizer: {
    type: 'Sequence',
    normalizers: [
      { type: 'Prepend', prepend: ' ' },
      { type: 'Replace', pattern: { String: '\n' }, content: '\n ' },
    ],
  },
  pre_tokenizer: { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false },
  decoder: {
    type: 'Sequence',
    decoders: [
      { type: 'Fuse' },
      { type: 'Replace', pattern: { String: '\n ' }, content: '\n' },
      { type: 'Strip', content: ' ', start: 1, stop: 0 },
    ],
  },
} as const;

/**
 * Builds the tokenizer of a text. The result depends on the words and how often they occur, not on their order.
 * @param corpus One message each: a system text, an observation or an action.
 * @param options.vocabularySize At most this many tokens: the rarest words are left out. Characters of the text are
 * always included, even if there are more.
 */
export async function trainWordTokenizer(
  corpus: AsyncIterable<string> | Iterable<string>,
  options: { readonly vocabularySize: number },
): Promise<TokenizerFiles> {
  const words = new Map<string, number>();
  const expression = new RegExp(pattern, 'gu');
  // Digits are always known: a number outside the training text must not turn into another one.
  const characters = new Set(' 0123456789');
  for await (const message of corpus) {
    for (const [word] of ` ${message.replaceAll('\n', '\n ')}`.matchAll(expression)) {
      words.set(word, (words.get(word) ?? 0) + 1);
    }
  }
  for (const word of words.keys()) for (const character of word) characters.add(character);
  characters.delete(unknownToken);

  const tokens = [endToken, unknownToken, ...[...characters].sort(byCodePoint)];
  const known = new Set(tokens);
  const ranked = [...words].sort(([a, countA], [b, countB]) => countB - countA || byCodePoint(a, b));
  for (const [word] of ranked) {
    if (tokens.length >= options.vocabularySize) break;
    if (!known.has(word)) tokens.push(word);
  }
  return chatFiles({
    ...wordParts,
    // Byte-pair encoding without merges: a known word is one token, any other word is split into characters.
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: unknownToken,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: true,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges: [],
    },
  });
}

function byCodePoint(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
