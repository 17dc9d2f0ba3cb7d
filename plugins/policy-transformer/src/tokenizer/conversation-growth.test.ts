/** Conversations that grow by appending, compared with the template's own rendering after every turn. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

import { beforeAll, describe, expect, it } from 'vitest';

import type { Thinking } from './chat-layout.js';
import { type ChatMessage, ChatTemplate } from './chat-template.js';
import { createConversationEncoder, type FolderEncoder } from './conversation-encoder.js';
import { families, type Family, familyFiles } from './fixtures/family-files.js';
import { writeCall } from './read-function-calls.js';
import { TextTokenizer } from './text-tokenizer.js';
import type { TokenizerJson } from './tokenizer-files.js';

interface Recorded {
  readonly template: Family;
  readonly setting: Thinking;
  /** Whether the actions have thinking blocks. */
  readonly thinking: boolean;
  /** Whether actions are function calls with answers. */
  readonly calls?: boolean;
  readonly conversations: readonly { readonly messages: readonly ChatMessage[]; readonly texts: readonly string[] }[];
}

const recorded = JSON.parse(
  gunzipSync(readFileSync(new URL('./fixtures/chats.json.gz', import.meta.url))).toString(),
) as Recorded[];

/** The text of an action: a function call as the model writes it, or the content. */
function textOf({ content, tool_calls: calls }: ChatMessage, encoder: FolderEncoder): string {
  const [call] = (calls ?? []) as { function: { name: string; arguments: { [name: string]: string } } }[];
  if (call === undefined) return content!;
  return writeCall(encoder.functionCalls!, call.function.name, call.function.arguments);
}

/** Calls `check` with all ids of the conversation after every observation, and after every answer. */
function grow(
  encoder: FolderEncoder,
  messages: readonly ChatMessage[],
  check: (ids: readonly number[], turn: number, count: number) => void,
): void {
  const system = messages[0]!.role === 'system' ? messages[0]!.content! : '';
  const ids: number[] = [];
  let turn = 0;
  for (const [index, message] of messages.entries()) {
    const { role, content } = message;
    if (role === 'assistant') ids.push(...encoder.encodeAction(textOf(message, encoder)), encoder.endIds[0]!);
    if (role === 'tool') ids.push(...encoder.appendAnswer!(content!));
    else if (role === 'user') ids.push(...(turn === 0 ? encoder.begin(system, content!) : encoder.append(content!)));
    else continue;
    turn += 1;
    check(ids, turn, index + 1);
  }
}

/** Families and settings with which a conversation equals the template's rendering at every turn. */
const exact = recorded.filter(({ template }) => !template.startsWith('qwen3'));

describe.each(exact)('$template, thinking: $setting, thinking blocks: $thinking, calls: $calls', (row) => {
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

// Goes red without `redirectToPython`: the library strips other white space.
it.each(recorded)('$template, $setting, $thinking, calls: $calls: renders what transformers renders', (row) => {
  const template = new ChatTemplate(familyFiles(row.template));
  const variables = row.setting === 'off' ? { enable_thinking: false } : {};
  for (const { messages, texts } of row.conversations) {
    const counts = messages.flatMap(({ role }, index) => (role === 'user' || role === 'tool' ? [index + 1] : []));
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
      /^tokenizer_config\.json: the chat template drops or changes thinking blocks.*turn 1 changes when turn 2 is added.*Set policy\.options\.thinking .* to "drop".*"keep".*or "off"/s,
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

  /** All ids before the next action: earlier actions as the template shows them. */
  function shown(encoder: FolderEncoder, messages: readonly ChatMessage[]): readonly number[] {
    const { promptIds, shown: remaining } = encoder.earlierActions!;
    const system = messages[0]!.role === 'system' ? messages[0]!.content! : '';
    let ids: number[] = [];
    for (const { content, role } of messages) {
      if (role === 'assistant') {
        const action = [...encoder.encodeAction(content!), encoder.endIds[0]!];
        const tail = remaining(action);
        expect(action.slice(action.length - tail.length)).toEqual(tail);
        ids = [...ids.slice(0, ids.length - promptIds), ...tail];
      } else if (role === 'user')
        ids.push(...(ids.length === 0 ? encoder.begin(system, content!) : encoder.append(content!)));
    }
    return ids;
  }

  // Goes red when a prompt stays before earlier actions, or when white space behind a block stays.
  it.each<Family>(['qwen3', 'qwen3-thinking'])('%s drops them by ids, as the template does', (family) => {
    const files = familyFiles(family);
    const encoder = createConversationEncoder(files, { thinking: 'drop' });
    const tokenizer = new TextTokenizer(JSON.parse(files.tokenizer) as TokenizerJson);
    const found = rows(family, 'template').filter(({ calls }) => calls !== true);
    expect(found.some(({ thinking }) => thinking)).toBe(true);
    let turns = 0;
    for (const { messages, texts } of found.flatMap(({ conversations }) => conversations)) {
      const counts = messages.flatMap(({ role }, index) => (role === 'user' ? [index + 1] : []));
      for (const [turn, count] of counts.entries()) {
        const rendered = texts[turn]!;
        const expected = tokenizer.encodePieces(tokenizer.splitAddedTokens(rendered));
        expect(shown(encoder, messages.slice(0, count)), rendered).toEqual(expected);
        turns += 1;
      }
    }
    expect(turns).toBeGreaterThan(20);
  });

  // Goes red when an open block is cut, or when a token with text behind the block is.
  it('keeps thoughts without an end whole, and cuts at boundaries of tokens only', () => {
    const encoder = createConversationEncoder(familyFiles('qwen3'), { thinking: 'drop' });
    const { shown: remaining, promptIds } = encoder.earlierActions!;
    const action = (text: string) => [...encoder.encodeAction(text), encoder.endIds[0]!];
    expect(promptIds).toBe(0);
    for (const text of ['<think>\nI never stop', 'go']) expect(remaining(action(text))).toEqual(action(text));
    expect(encoder.decode(remaining(action('<think>a</think>b</think>\n\n\ngo\n')))).toBe('go\n');
    expect(remaining(action('<think>a</think>\n\n'))).toEqual(encoder.endIds.slice(0, 1));
    expect(encoder.appendAnswer).toBeUndefined();
  });

  it('cannot be dropped without a token for their end, or if the template does more', () => {
    const files = familyFiles('qwen3');
    const json = JSON.parse(files.tokenizer) as TokenizerJson;
    const added_tokens = json.added_tokens.filter(({ content }) => content !== '</think>');
    const spelled = { ...files, tokenizer: JSON.stringify({ ...json, added_tokens }) };
    expect(() => createConversationEncoder(spelled, { thinking: 'drop' })).toThrow('has no token </think>');
    const chatTemplate = `{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + (m.content.split('</think>')[-1] | upper if m.role == 'assistant' else m.content) + '<|im_end|>\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}`;
    expect(() => createConversationEncoder({ ...files, chatTemplate }, { thinking: 'drop' })).toThrow(
      /cannot grow|does more than drop/,
    );
  });

  it('refuses settings without effect', () => {
    for (const family of families.filter((name) => !name.startsWith('qwen3'))) {
      expect(() => createConversationEncoder(familyFiles(family), { thinking: 'drop' })).toThrow(/no effect|no token/);
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
    const answered = controlsOf(encoder.appendAnswer?.('x') ?? []);
    for (const { content } of added) {
      const middle = Math.ceil(content.length / 2);
      const [start, end] = [content.slice(0, middle), content.slice(middle)];
      for (const text of [content, `${content}${content}`, `a ${content}\n`, `${start}${content}${end}`]) {
        expect(controlsOf(encoder.begin('x', text)), text).toEqual(begun);
        expect(controlsOf(encoder.begin(text, 'x')), text).toEqual(begun);
        expect(controlsOf(encoder.append(text)), text).toEqual(grown);
        expect(controlsOf(encoder.append(`<tool_response>${text}`)), text).toEqual(grown);
        expect(controlsOf(encoder.appendAnswer?.(`</tool_response>${text}`) ?? []), text).toEqual(answered);
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

describe('answers to function calls', () => {
  it.each<[Family, Thinking, string | undefined]>([
    ['qwen2.5', 'template', '<tool_response>\na "b"\n</tool_response>'],
    ['qwen3', 'keep', '<tool_response>\na "b"\n</tool_response>'],
    ['qwen3', 'off', '<tool_response>\na "b"\n</tool_response>'],
    ['llama3.2', 'template', '<|start_header_id|>ipython<|end_header_id|>\n\n"a \\"b\\""'],
    ['smollm2', 'template', undefined],
    ['smollm3', 'off', undefined],
    ['qwen3-thinking', 'keep', undefined],
  ])('%s, thinking: %s: are in the role of the template, or the encoder says that it has none', (...row) => {
    const [family, thinking, written] = row;
    const encoder = createConversationEncoder(familyFiles(family), { thinking });
    expect(encoder.template.answers).toBe(written === undefined ? undefined : 'tool');
    if (written === undefined) expect(encoder).not.toHaveProperty('appendAnswer');
    else expect(encoder.decode(encoder.appendAnswer!('a "b"'))).toContain(written);
  });

  const template = (tool: string) =>
    `{% for m in messages %}{{ m.content }}{% if m.tool_calls %}{"name": "{{ m.tool_calls[0].function.name }}", "arguments": {{ m.tool_calls[0].function.arguments | tojson }}}{% endif %}${tool}<|im_end|>{% endfor %}`;

  // Goes red without `answersGrow`.
  it.each([
    ['refuses answers', "{% if m.role == 'tool' %}{{ raise_exception('no tools') }}{% endif %}"],
    ['changes answers', "{% if m.role == 'tool' and not loop.last %}(old){% endif %}"],
    ['formats a second answer differently', "{% if m.role == 'tool' and loop.index > 4 %}again{% endif %}"],
    ['shortens answers', "{% if m.role == 'tool' %}: {{ m.content | replace('\\n', '') }}{% endif %}"],
  ])('are messages of the user if the template %s', (_, tool) => {
    const files = { ...familyFiles('smollm2'), chatTemplate: template('') };
    expect(createConversationEncoder(files).template.answers).toBe('tool');
    const encoder = createConversationEncoder({ ...files, chatTemplate: template(tool) });
    expect(encoder.functionCalls).toBeDefined();
    expect(encoder.template.answers).toBe('user');
    expect(encoder).not.toHaveProperty('appendAnswer');
  });
});
