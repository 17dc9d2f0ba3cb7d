import { describe, expect, it } from 'vitest';

import { ChatTemplate } from './chat-template.js';
import { createConversationEncoder } from './conversation-encoder.js';
import { familyFiles } from './fixtures/family-files.js';
import { storedTemplates } from './stored-templates.js';

const user = [{ role: 'user', content: 'hi' }];
const tools = [{ type: 'function', function: { name: 'guess', description: '', parameters: {} } }];
/** What a folder renders without tools, with an empty list of them, and with one. */
const rendered = (chat_template: unknown, files: { chatTemplate?: string; additionalTemplates?: object } = {}) => {
  const config = JSON.stringify({ chat_template });
  const template = new ChatTemplate({ ...(files as object), config });
  return [undefined, [], tools].map((given) =>
    template.render(user, { addGenerationPrompt: true, ...(given && { tools: given }) }),
  );
};

describe('templates of a folder, as transformers chooses them', () => {
  it.each<[string, unknown, object, string[]]>([
    ['one text', 'A', {}, ['A', 'A', 'A']],
    ['a list with default alone', [{ name: 'default', template: 'A' }], {}, ['A', 'A', 'A']],
    [
      'a list',
      [
        { name: 'tool_use', template: 'B' },
        { name: 'default', template: 'A' },
      ],
      {},
      ['A', 'B', 'B'],
    ],
    ['an object', { default: 'A', tool_use: 'B', rag: 'C' }, {}, ['A', 'B', 'B']],
    ['a file before the configuration', { default: 'A', tool_use: 'B' }, { chatTemplate: 'F' }, ['F', 'F', 'F']],
    ['files', 'A', { chatTemplate: 'F', additionalTemplates: { tool_use: 'G', rag: 'H' } }, ['F', 'G', 'G']],
  ])('%s', (_, stored, files, texts) => {
    expect(rendered(stored, files)).toEqual(texts);
  });

  it.each<[string, unknown, object, RegExp]>([
    ['no template', undefined, {}, /no chat template/],
    ['null', null, {}, /no chat template/],
    [
      'no default',
      { tool_use: 'B', rag: 'C' },
      {},
      /^tokenizer_config\.json: .*\(rag, tool_use\), but none is named "default"/,
    ],
    [
      'additional files alone',
      'A',
      { additionalTemplates: { rag: 'H' } },
      /^additional_chat_templates\/rag\.jinja: .*\(rag\)/,
    ],
    ['a number', 5, {}, /no chat template/],
    ['a list of texts', ['A'], {}, /^tokenizer_config\.json: "chat_template" must be/],
    [
      'a list without texts',
      [{ name: 'default', template: 1 }],
      {},
      /^tokenizer_config\.json: "chat_template" must be/,
    ],
  ])('%s is refused', (_, stored, files, message) => {
    expect(() => storedTemplates(files, { chat_template: stored })).toThrow(message);
  });

  it('names the file of the template that is at fault', () => {
    expect(() => rendered('A', { chatTemplate: 'F', additionalTemplates: { tool_use: '{% for %}' } })).toThrow(
      /^additional_chat_templates\/tool_use\.jinja: the chat template has a syntax error/,
    );
  });
});

const plain =
  "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";
const toolUse = `{% if tools %}{{ '<|im_start|>system\nYou have: ' + (tools | tojson) + '<|im_end|>\n' }}{% endif %}${plain}`;

// Goes red when functions are described by the default template.
it('describes functions with the template tool_use, also one that gives them a system message of their own', () => {
  const encoder = createConversationEncoder({
    ...familyFiles('smollm2'),
    chatTemplate: plain,
    additionalTemplates: { tool_use: toolUse },
  });
  const described = encoder.functionCalls!.describe([tools[0]!.function])!;
  expect(described).toBe(`You have: [${JSON.stringify(tools[0]).replaceAll(/([:,])/g, '$1 ')}]`);
  expect(encoder.decode(encoder.begin(described, 'hi'))).toBe(
    `<|im_start|>system\n${described}\n<|im_start|>user\nhi\n<|im_start|>assistant\n`,
  );
  expect(createConversationEncoder({ ...familyFiles('smollm2'), chatTemplate: plain })).not.toHaveProperty(
    'functionCalls',
  );
});

describe('line ends of a template', () => {
  // The texts are those of Jinja2 3.1. Goes red without the replacement.
  it.each([
    ['a\r\nb', 'a\nb'],
    ['a\rb', 'a\nb'],
    ["{{ 'x\r\ny' }}", 'x\ny'],
    ['{% if true %}\r\nx{% endif %}\r\n', 'x'],
    ['{# c \r\n #}\r\nz', 'z'],
    ["{{ 'x\\r\\ny' }}", 'x\r\ny'],
    ['{{ messages[0].content }}\r\n\r\n', 'a\r\nb\n'],
  ])('%j gives %j', (source, text) => {
    const template = new ChatTemplate({ config: JSON.stringify({ chat_template: source }) });
    expect(template.render([{ role: 'user', content: 'a\r\nb' }], { addGenerationPrompt: true })).toBe(text);
  });

  it('do not matter to a conversation', () => {
    const files = familyFiles('smollm2');
    const encoder = createConversationEncoder({ ...files, chatTemplate: files.chatTemplate!.replaceAll('\n', '\r\n') });
    expect(encoder.begin('Rules.', 'go')).toEqual(createConversationEncoder(files).begin('Rules.', 'go'));
  });
});
