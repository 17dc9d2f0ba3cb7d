import { readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

import { byteCharacters } from './byte-level-text.js';
import { TextTokenizer } from './text-tokenizer.js';

interface Recorded {
  readonly pre_tokenizer: { readonly type: string; readonly [key: string]: unknown };
  readonly words: readonly (readonly [text: string, words: readonly string[]])[];
}
const recorded = JSON.parse(readFileSync(new URL('./fixtures/splits.json', import.meta.url), 'utf8')) as Recorded[];

// Goes red when a step keeps the pattern that it has in the library.
it.each(recorded.map((one) => [JSON.stringify(one.pre_tokenizer), one] as const))(
  'finds the words of tokenizers: %s',
  (_, { pre_tokenizer, words }) => {
    const tokens = [...new Set([...byteCharacters(), ...words.flatMap(([, found]) => found)])];
    const vocab = Object.fromEntries(tokens.map((token, id) => [token, id]));
    // A word is one token, so another division gives other ids.
    const model = { type: 'BPE', vocab, merges: [], ignore_merges: true };
    const others = { normalizer: null, post_processor: null, decoder: { type: 'ByteLevel' } };
    const tokenizer = new TextTokenizer({ added_tokens: [], pre_tokenizer, ...others, model });
    for (const [text, found] of words) {
      expect(
        tokenizer.encode(text).map((id) => tokens[id]),
        text,
      ).toEqual(found);
    }
  },
);
