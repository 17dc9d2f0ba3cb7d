import { describe, expect, it } from 'vitest';

import { TextTokenizer } from './text-tokenizer.js';
import { wholeTextEncoder } from './whole-text.js';

const template = {
  type: 'TemplateProcessing',
  single: [{ SpecialToken: { id: '<s>' } }, { Sequence: { id: 'A' } }, { SpecialToken: { id: '</s>' } }],
};
const words = { '<unk>': 0, a: 1, b: 2, '<': 3, s: 4, '>': 5, '/': 6 };
const create = (processor: object | null) => {
  const json = {
    added_tokens: [
      { id: 7, content: '<s>', special: true },
      { id: 8, content: '</s>', special: true },
    ],
    normalizer: null,
    pre_tokenizer: { type: 'Split', pattern: { Regex: '.' }, behavior: 'Isolated', invert: false },
    post_processor: processor,
    decoder: null,
    model: { type: 'WordLevel', vocab: words, unk_token: '<unk>' },
  };
  return wholeTextEncoder(JSON.stringify(json), new TextTokenizer(json));
};

describe('wholeTextEncoder', () => {
  it.each([template, { type: 'Sequence', processors: [{ type: 'ByteLevel' }, template] }])(
    'adds and reads control tokens only where it is asked to',
    (processor) => {
      const encode = create(processor);
      const text = 'a<s>b';
      expect(encode(text, { addSpecial: false, parseSpecial: false })).toEqual([1, 3, 4, 5, 2]);
      expect(encode(text, { addSpecial: false, parseSpecial: true })).toEqual([1, 7, 2]);
      expect(encode(text, { addSpecial: true, parseSpecial: false })).toEqual([7, 1, 3, 4, 5, 2, 8]);
      expect(encode(text, { addSpecial: true, parseSpecial: true })).toEqual([7, 1, 7, 2, 8]);
    },
  );

  it('adds nothing if the tokenizer does not', () => {
    for (const processor of [null, { type: 'ByteLevel' }]) {
      expect(create(processor)('ab', { addSpecial: true, parseSpecial: true })).toEqual([1, 2]);
    }
  });
});
