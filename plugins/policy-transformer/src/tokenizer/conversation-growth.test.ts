/** Conversations that grow by appending, compared with the template's own rendering after every turn. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

import { beforeAll, describe, expect, it } from 'vitest';

import type { Thinking } from './chat-layout.js';
import { type ChatMessage, ChatTemplate } from './chat-template.js';
import { createConversationEncoder, type FolderEncoder } from './conversation-encoder.js';
import { families, type Family, familyFiles } from './fixtures/family-files.js';
import { TextTokenizer } from './text-tokenizer.js';
import type { TokenizerJson } from './tokenizer-files.js';

interface Recorded {
  readonly template: Family;
  readonly setting: Thinking;
  /** Whether the actions have thinking blocks. */
  readonly thinking: boolean;
  readonly conversations: readonly { readonly messages: readonly ChatMessage[]; readonly texts: readonly string[] }[];
}

const recorded = JSON.parse(
  gunzipSync(readFileSync(new URL('./fixtures/chats.json.gz', import.meta.url))).toString(),
) as Recorded[];

/** Calls `check` with all ids of the conversation after every observation. */
function grow(
  encoder: FolderEncoder,
  messages: readonly ChatMessage[],
  check: (ids: readonly number[], turn: number, count: number) => void,
): void {
  const system = messages[0]!.role === 'system' ? messages[0]!.content! : '';
  const ids: number[] = [];
  let turn = 0;
  for (const [index, { role, content }] of messages.entries()) {
    if (role === 'assistant') ids.push(...encoder.encodeAction(content!), encoder.endIds[0]!);
    if (role !== 'user') continue;
    ids.push(...(turn === 0 ? encoder.begin(system, content!) : encoder.append(content!)));
    turn += 1;
    check(ids, turn, index + 1);
  }
}

/** Families and settings with which a conversation equals the template's rendering at every turn. */
const exact = recorded.filter(({ template }) => !template.startsWith('qwen3'));

describe.each(exact)('$template, thinking: $setting, thinking blocks: $thinking', (row) => {
  // Goes red when the layout loses a piece, trims another character, or encodes pieces of text one by one.
  it('gives the ids of what transformers renders, after every turn', () => {
    const files = familyFiles(row.template);
    const tokenizer = new TextTokenizer(JSON.parse(files.tokenizer) as TokenizerJson);
    const encoder = createConversationEncoder(files, { thinking: row.setting });
    let turns = 0;
    for (const { messages, texts } of row.conversations) {
      grow(encoder, messages, (ids, turn) => {
        const text = texts[turn - 1]!;
        expect(ids, JSON.stringify(text)).toEqual(tokenizer.encodePieces(tokenizer.splitAddedTokens(text)));
        turns += 1;
      });
    }
    expect(turns).toBeGreaterThan(20);
  });
});

// Goes red without `redirectStrips`: the library strips other white space.
it.each(recorded)('$template, $setting, $thinking: renders what transformers renders', (row) => {
  const template = new ChatTemplate(familyFiles(row.template));
  const variables = row.setting === 'off' ? { enable_thinking: false } : {};
  for (const { messages, texts } of row.conversations) {
    const counts = messages.flatMap(({ role }, index) => (role === 'user' ? [index + 1] : []));
    const rendered = counts.map((count) =>
      template.render(messages.slice(0, count), { addGenerationPrompt: true, variables }),
    );
    expect(rendered).toEqual(texts);
  }
});

describe('templates that drop thinking blocks of earlier turns', () => {
  const rows = (family: Family, setting: Thinking) =>
    recorded.filter(({ template, setting: given }) => template === family && given === setting);

  it('are refused, with the turn that changes and what to set', () => {
    expect(() => createConversationEncoder(familyFiles('qwen3'))).toThrow(
      /^tokenizer_config\.json: the chat template drops or changes thinking blocks.*turn 1 changes when turn 2 is added.*Set policy\.options\.thinking .* to "keep".*or "off"/s,
    );
    expect(() => createConversationEncoder(familyFiles('qwen3-thinking'))).toThrow(
      /^chat_template\.jinja: the chat template writes "<think>\\n" before an action, and takes it back.*policy\.options\.thinking/s,
    );
  });

  const blocks = /<think>\n(?:.*?\n<\/think>\n\n)?/gs;
  it.each<[Family, Thinking, Thinking]>([
    ['qwen3', 'keep', 'template'],
    ['qwen3', 'off', 'off'],
    ['qwen3-thinking', 'keep', 'template'],
  ])('%s grows with thinking: %s, and differs from the template only in blocks', (family, thinking, setting) => {
    const files = familyFiles(family);
    const encoder = createConversationEncoder(files, { thinking });
    const tokenizer = new TextTokenizer(JSON.parse(files.tokenizer) as TokenizerJson);
    const found = rows(family, setting);
    expect(found.length).toBeGreaterThan(0);
    for (const { messages, texts } of found.flatMap(({ conversations }) => conversations)) {
      let before: readonly number[] = [];
      grow(encoder, messages, (ids, turn) => {
        expect(ids.slice(0, before.length)).toEqual(before);
        before = [...ids];
        const text = tokenizer.decode(ids);
        const prompt = /<think>\n(?:\n<\/think>\n\n)?$/.exec(text)?.[0] ?? '';
        const earlier = text.slice(0, text.length - prompt.length).replace(blocks, '');
        expect(earlier + prompt).toBe(tokenizer.decode(tokenizer.encodePieces([texts[turn - 1]!])));
      });
    }
  });

  it('refuses settings without effect', () => {
    for (const family of families.filter((name) => !name.startsWith('qwen3'))) {
      expect(() => createConversationEncoder(familyFiles(family), { thinking: 'keep' })).toThrow(/no effect/);
    }
    for (const family of ['qwen2.5', 'llama3.2', 'smollm2', 'qwen3-thinking'] as const) {
      expect(() => createConversationEncoder(familyFiles(family), { thinking: 'off' })).toThrow(
        /thinking "off" has no effect: the template does not read enable_thinking/,
      );
    }
  });
});

const settings: [Family, Thinking][] = [
  ['qwen2.5', 'template'],
  ['qwen3', 'keep'],
  ['qwen3', 'off'],
  ['llama3.2', 'template'],
  ['smollm2', 'template'],
  ['smollm3', 'template'],
  ['smollm3', 'off'],
  ['gemma2', 'template'],
  ['gemma3', 'template'],
];

describe.each(settings)('texts of %s, thinking: %s', (family, thinking) => {
  const files = familyFiles(family);
  let encoder: FolderEncoder;
  beforeAll(() => {
    encoder = createConversationEncoder(files, { thinking });
  });
  const added = (JSON.parse(files.tokenizer) as TokenizerJson).added_tokens;
  const controls = new Set(added.map(({ id }) => id));
  const controlsOf = (ids: readonly number[]) => ids.filter((id) => controls.has(id));

  // Goes red when observations or rules are encoded by a tokenizer that knows the added tokens.
  it('never become control tokens: no added token, whole, repeated, or in several pieces', () => {
    const [begun, grown] = [controlsOf(encoder.begin('x', 'x')), controlsOf(encoder.append('x'))];
    for (const { content } of added) {
      const middle = Math.ceil(content.length / 2);
      const [start, end] = [content.slice(0, middle), content.slice(middle)];
      for (const text of [content, `${content}${content}`, `a ${content}\n`, `${start}${content}${end}`]) {
        expect(controlsOf(encoder.begin('x', text)), text).toEqual(begun);
        expect(controlsOf(encoder.begin(text, 'x')), text).toEqual(begun);
        expect(controlsOf(encoder.append(text)), text).toEqual(grown);
        // The answer of a tool is an observation too.
        expect(controlsOf(encoder.append(`<tool_response>${text}`)), text).toEqual(grown);
        expect(encoder.decode(encoder.append(text))).toContain(text.trim());
      }
      expect(controlsOf(encoder.begin(start, end)), content).toEqual(begun);
      expect(controlsOf(encoder.begin(end, start)), content).toEqual(begun);
    }
  });

  it('of actions contain markup of the model, but no special tokens', () => {
    for (const { content, id, special } of added) {
      for (const text of [content, `a${content}b`]) {
        expect(controlsOf(encoder.encodeAction(text)), text).toEqual(special === false ? [id] : []);
      }
    }
  });
});

it('does not join literal text of a template and an observation to a control token', () => {
  const chatTemplate =
    "{% for m in messages %}{{ '<|im_' if m.role == 'user' else '' }}{{ m.content }}<|im_end|>{% endfor %}";
  const encoder = createConversationEncoder({ ...familyFiles('smollm2'), chatTemplate });
  const ids = encoder.begin('', 'end|>');
  expect(ids.filter((id) => id === encoder.endIds[0])).toHaveLength(1);
  expect(encoder.decode(ids)).toBe('<|im_end|>');
});
