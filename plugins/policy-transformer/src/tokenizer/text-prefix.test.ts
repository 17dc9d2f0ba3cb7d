/** Tokenizers that put a space in front of a text, compared with `tokenizers` on the whole rendered conversation. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

import { describe, expect, it } from 'vitest';

import { createConversationEncoder } from './conversation-encoder.js';
import type { TokenizerJson } from './tokenizer-files.js';

interface Recorded {
  readonly tokenizer: TokenizerJson;
  readonly templates: { readonly [name: string]: string };
  readonly conversations: readonly (readonly { readonly role: string; readonly content: string }[])[];
  readonly rows: readonly {
    readonly variant: string;
    readonly parts: Partial<TokenizerJson>;
    readonly template: string;
    readonly ids: readonly (readonly number[])[];
  }[];
}

const recorded = JSON.parse(
  gunzipSync(readFileSync(new URL('./fixtures/prefixes.json.gz', import.meta.url))).toString(),
) as Recorded;
const { conversations, templates } = recorded;

const encoderOf = (template: string, parts: Partial<TokenizerJson> = {}) =>
  createConversationEncoder({
    tokenizer: JSON.stringify({ ...recorded.tokenizer, ...parts }),
    config: JSON.stringify({ eos_token: '<|end|>', bos_token: '<|bos|>' }),
    chatTemplate: template,
  });

/** The prefix stands in front of each line there, also of an action. */
const refused = (variant: string, template: string) =>
  variant === 'Metaspace always behind lines' && template !== 'control tokens';

describe.each(recorded.rows.filter(({ template, variant }) => !refused(variant, template)))(
  '$variant, template: $template',
  ({ ids: all, parts, template, variant }) => {
    const encoder = encoderOf(templates[template]!, parts);

    // Goes red when every piece of a conversation is encoded as a text of its own.
    it('gives the ids of the whole text, turn by turn', () => {
      for (const [index, messages] of conversations.entries()) {
        const system = messages[0]!.role === 'system' ? messages[0]!.content : '';
        const [first, ...later] = messages.filter(({ role }) => role !== 'system');
        const grown = [...encoder.begin(system, first!.content)];
        for (const { content, role } of later) {
          if (role === 'assistant') grown.push(...encoder.encodeAction(content), encoder.endIds[0]!);
          else grown.push(...encoder.append(content));
        }
        expect(grown, JSON.stringify(messages)).toEqual(all[index]);
      }
    });

    // Such tokenizers themselves write two texts with the same ids.
    const isAmbiguous = (text: string) =>
      /always|take/.test(variant) && (text !== text.trim() || variant.endsWith('lines'));
    // Goes red when a decoder takes a space from an action that has no prefix.
    it('reads every action back', () => {
      for (const { content, role } of conversations.flat()) {
        if (role !== 'assistant' || isAmbiguous(content)) continue;
        const read = encoder.decode(encoder.encodeAction(content));
        expect(read.normalize('NFC')).toBe(content.normalize('NFC'));
      }
    });
  },
);

it.each(recorded.rows.filter(({ template, variant }) => refused(variant, template)))(
  '$variant, template: $template: is refused, with the text in front of an action',
  ({ parts, template }) => {
    expect(() => encoderOf(templates[template]!, parts)).toThrow(
      /^chat_template\.jinja: the chat template puts ".*\\n" in front of an action, which the tokenizer joins with "ok then"/,
    );
  },
);

it.each([
  [
    'the layout of Llama 2 chat',
    "{% for m in messages %}{% if m.role == 'user' %}{{ '<|bos|>[INST] ' + m.content + ' [/INST]' }}{% else %}{{ ' ' + m.content + ' <|end|>' }}{% endif %}{% endfor %}",
    /writes " " in front of the actions of earlier turns.*as in the layout of Llama 2 chat/,
  ],
  [
    'a prompt that ends with a space',
    "{% for m in messages %}{{ m.role + ': ' + m.content }}<|end|>{% endfor %}{% if add_generation_prompt %}{{ 'assistant: ' }}{% endif %}",
    /puts "assistant: " in front of an action, which the tokenizer joins with "ok then"/,
  ],
])('%s is refused by name', (_, template, message) => {
  const { parts } = recorded.rows.find(({ variant }) => variant === 'Prepend')!;
  expect(() => encoderOf(template, parts)).toThrow(message);
});

it('refuses a control token that is found in normalized text only', () => {
  const { parts } = recorded.rows.find(({ variant }) => variant === 'Prepend')!;
  const normalized = parts.added_tokens!.map((token) => ({ ...token, normalized: true }));
  expect(() => encoderOf(templates['lines']!, { ...parts, added_tokens: normalized })).toThrow(
    /^tokenizer\.json: the control token "<\|bos\|>" of the chat template is not found in a text.*set `"normalized": false`/,
  );
});
