import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { createConversationEncoder } from './conversation-encoder.js';
import { TextTokenizer } from './text-tokenizer.js';
import type { TokenizerJson } from './tokenizer-files.js';
import { trainByteLevelTokenizer } from './train-byte-level-tokenizer.js';
import { trainWordTokenizer } from './train-word-tokenizer.js';

interface Encoding {
  readonly text: string;
  readonly ids: readonly number[];
  readonly decoded: string;
}

const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8');
const corpus = JSON.parse(fixture('corpus.json')) as string[];

describe('trainWordTokenizer', () => {
  it('writes a tokenizer.json under which the original gives the same ids and texts', async () => {
    const { tokenizer } = await trainWordTokenizer(corpus, { vocabularySize: 4096 });
    expect(tokenizer).toBe(fixture('words/tokenizer.json'));
    const ours = new TextTokenizer(JSON.parse(tokenizer) as TokenizerJson);
    for (const { text, ids, decoded } of JSON.parse(fixture('words.json')) as Encoding[]) {
      expect(ours.encode(text), JSON.stringify(text)).toEqual(ids);
      expect(ours.decode(ids)).toBe(decoded);
    }
  });

  it('gives back every text of the corpus unchanged, and spells words that it has not seen', async () => {
    const encoder = createConversationEncoder(await trainWordTokenizer(corpus, { vocabularySize: 4096 }));
    const texts = [...corpus, ' 18', 'a  b\n\n c', '\n\n', 'planks  of oak', '987'];
    for (const text of texts) expect(encoder.decode(encoder.encodeAction(text))).toBe(text);
    expect(encoder.decode(encoder.encodeAction('18 Ж'))).toBe('18 \ufffd');
  });

  it('makes a word one token wherever it stands', async () => {
    const encoder = createConversationEncoder(await trainWordTokenizer(corpus, { vocabularySize: 4096 }));
    const [craft] = encoder.encodeAction('craft');
    expect(encoder.encodeAction('craft')).toHaveLength(1);
    expect(encoder.encodeAction('to craft\ncraft').filter((id) => id === craft)).toHaveLength(2);
    expect(encoder.begin('', 'Guess my number between 4 and 33. You have 5 turns.')).toHaveLength(14);
  });

  it('does not depend on the order of the corpus, and leaves out the rarest words at a cap', async () => {
    const all = await trainWordTokenizer(corpus, { vocabularySize: 4096 });
    expect(await trainWordTokenizer([...corpus].reverse(), { vocabularySize: 4096 })).toEqual(all);
    const capped = createConversationEncoder(await trainWordTokenizer(corpus, { vocabularySize: 70 }));
    expect(capped.vocabularySize).toBe(70);
    expect(capped.encodeAction('oak')).toHaveLength(1);
    expect(capped.encodeAction('wait')).toHaveLength(5);
    expect(capped.decode(capped.encodeAction('wait'))).toBe('wait');
  });
});

describe('trainByteLevelTokenizer', () => {
  it('learns the merges of the original and gives its ids', async () => {
    const golden = JSON.parse(fixture('byte-level.json')) as {
      vocabularySize: number;
      merges: string[][];
      encodings: Encoding[];
    };
    const { tokenizer } = await trainByteLevelTokenizer(corpus, { vocabularySize: golden.vocabularySize });
    const json = JSON.parse(tokenizer) as TokenizerJson & { readonly model: { readonly merges: string[][] } };
    expect(json.model.merges).toEqual(golden.merges);
    const ours = new TextTokenizer(json);
    for (const { text, ids, decoded } of golden.encodings) {
      expect(ours.encode(text), JSON.stringify(text)).toEqual(ids);
      expect(ours.decode(ids)).toBe(decoded);
    }
  });

  it('stops where no pair occurs twice', async () => {
    const encoder = createConversationEncoder(await trainByteLevelTokenizer(['abab', 'xyz'], { vocabularySize: 1000 }));
    expect(encoder.vocabularySize).toBe(257 + 1);
    expect(encoder.decode(encoder.encodeAction('xyzab 🤖'))).toBe('xyzab 🤖');
  });
});
