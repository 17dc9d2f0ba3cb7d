import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { createConversationEncoder } from './conversation-encoder.js';
import { familyFiles } from './fixtures/family-files.js';
import { TextTokenizer } from './text-tokenizer.js';

const own = JSON.parse(readFileSync(new URL('./fixtures/own-bpe/tokenizer.json', import.meta.url), 'utf8')) as {
  added_tokens: { id: number; content: string }[];
  model: { vocab: { [token: string]: number }; merges: unknown[] };
};
const open = (change: (json: typeof own) => unknown) => {
  const json = structuredClone(own);
  return new TextTokenizer((change(json) ?? json) as never);
};
const added = (token: object) => open((json) => void json.added_tokens.push({ content: '<new>', ...token } as never));
const spelled = (token: string, id: unknown) => open((json) => void Object.assign(json.model.vocab, { [token]: id }));
const typed = (type: unknown) => open((json) => void Object.assign(json.model, { type }));
const normalized = (type: unknown) => open((json) => void Object.assign(json, { normalizer: { type } }));

// Goes red without the check: the library takes all of these.
describe('a tokenizer.json is refused, with the token, if', () => {
  it.each<[string, () => unknown, RegExp]>([
    ['an added id is negative', () => added({ id: -1 }), /added_tokens: the id of "<new>" must be .*, not -1/],
    ['an added id is no whole number', () => added({ id: 1.5 }), /the id of "<new>" must be .*, not 1\.5/],
    ['an added id is a text', () => added({ id: '500' }), /the id of "<new>" must be .*, not "500"/],
    ['an added id is huge', () => added({ id: 1e9 }), /the id of "<new>" must be .*, not 1000000000/],
    ['an added id is missing', () => added({}), /the id of "<new>" must be .*, not nothing/],
    ['two added tokens have one id', () => added({ id: 0 }), /two tokens have the id 0: .* and "<new>"/],
    [
      'an added token has two ids',
      () => open((json) => void json.added_tokens.push({ id: 900, content: '<|im_end|>' })),
      /"<\|im_end\|>" has two ids/,
    ],
    [
      'an added token contradicts the vocabulary',
      () => open((json) => void json.added_tokens.push({ id: 900, content: 'e' })),
      /"e" has two ids: \d+ and 900/,
    ],
    ['an added token has no text', () => added({ id: 900, content: '' }), /added_tokens\[\d+\] has no text/],
    [
      'an added token is null',
      () => open((json) => void json.added_tokens.push(null as never)),
      /added_tokens\[\d+\] has no text/,
    ],
    ['a flag is no boolean', () => added({ id: 900, lstrip: 'yes' }), /"lstrip" of "<new>" must be true or false/],
    ['an id of the vocabulary is negative', () => spelled('zz', -1), /model\.vocab: the id of "zz" must be .*, not -1/],
    ['an id of the vocabulary is null', () => spelled('zz', null), /the id of "zz" must be .*, not null/],
    ['two tokens of the vocabulary have one id', () => spelled('zz', 300), /two tokens have the id 300/],
    ['the type of the model is `constructor`', () => typed('constructor'), /model\.type "constructor" is not known/],
    ['the type of the model is `__proto__`', () => typed('__proto__'), /model\.type "__proto__" is not known/],
    ['the type of the model is no text', () => typed({}), /model\.type \{\} is not known/],
    [
      'a normalizer is not known',
      () => normalized('constructor'),
      /cannot be used: Unknown Normalizer type: constructor/,
    ],
    ['a normalizer has no type', () => normalized(undefined), /normalizer must have a "type" that is a text, not \{\}/],
    ['a decoder is a number', () => open((json) => ({ ...json, decoder: 5 })), /decoder must have .* not 5/],
    [
      'a part of a sequence has no type',
      () =>
        open((json) => ({ ...json, pre_tokenizer: { type: 'Sequence', pretokenizers: [{ type: 'Digits' }, null] } })),
      /pre_tokenizer\.pretokenizers\[1\] must have/,
    ],
    [
      'a pattern is none',
      () => open((json) => ({ ...json, pre_tokenizer: { type: 'Split', pattern: {}, behavior: 'Isolated' } })),
      /pre_tokenizer\.pattern must be \{"Regex": TEXT\}/,
    ],
    [
      'a sequence has no parts',
      () => open((json) => ({ ...json, normalizer: { type: 'Sequence' } })),
      /normalizer\.normalizers must be a list/,
    ],
    [
      'a score is missing',
      () => open((json) => ({ ...json, model: { type: 'Unigram', vocab: [['a']] } })),
      /model\.vocab\[0\] must be a token and its score/,
    ],
    ...[null, 5, 'a', 'a b c', ['a'], [1, 2], ['a', ''], {}].map((merge): [string, () => unknown, RegExp] => [
      `a merge is ${JSON.stringify(merge)}`,
      () => open((json) => void json.model.merges.push(merge)),
      /model\.merges\[\d+\] must be two tokens/,
    ]),
    [
      'there are no merges',
      () => open((json) => void delete (json.model as Partial<typeof json.model>).merges),
      /model\.merges must be a list/,
    ],
    ['it is null', () => new TextTokenizer(null as never), /has no "added_tokens"/],
    ['it is a list', () => new TextTokenizer([] as never), /has no "added_tokens"/],
    ['its model is a text', () => open((json) => ({ ...json, model: 'BPE' })), /no "model\.vocab"/],
  ])('%s', (_, work, message) => {
    expect(work).toThrow(message);
    expect(work).toThrow(/^tokenizer\.json/);
  });

  it('only then: names of JavaScript are tokens like others', () => {
    const tokenizer = open(
      (json) => void Object.defineProperty(json.model.vocab, '__proto__', { value: 900, enumerable: true }),
    );
    expect(tokenizer.vocabularySize).toBe(901);
    expect(tokenizer.decode(tokenizer.encode('a constructor'))).toBe('a constructor');
  });
});

it.each([[-1], [1.5], [494], [1e9]])('refuses the end id %s, which the model lacks', (id) => {
  const files = { ...familyFiles('smollm2'), tokenizer: JSON.stringify(own) };
  expect(() => createConversationEncoder(files, { endIds: [id], embeddingRows: 494 })).toThrow(
    /^generation_config\.json or config\.json: the eos_token_id .* is not an id of the model/,
  );
  if (id === 494) expect(createConversationEncoder(files, { endIds: [id], embeddingRows: 500 }).endIds).toContain(id);
});

it.each(['null', '[]', '"text"', '5'])('refuses the tokenizer_config.json %s', (config) => {
  expect(() => createConversationEncoder({ ...familyFiles('smollm2'), config })).toThrow(
    /^tokenizer_config\.json is not a JSON object/,
  );
});
