/** Texts of functions, and of calls, that spell control tokens. */
import type { FunctionDefinition } from '@agentgym/cli';
import { describe, expect, it } from 'vitest';

import { createConversationEncoder } from './conversation-encoder.js';
import { findCalls } from './find-calls.js';
import { type Family, familyFiles } from './fixtures/family-files.js';
import { TextTokenizer } from './text-tokenizer.js';
import type { TokenizerFiles, TokenizerJson } from './tokenizer-files.js';

/** A function with a text in every place where a declaration can have one. */
const places: { readonly [place: string]: (text: string) => FunctionDefinition } = {
  name: (text) => declare({ name: text }),
  description: (text) => declare({ description: text }),
  'name of a parameter': (text) =>
    declare({ parameters: { type: 'object', properties: { [text]: { type: 'string' } } } }),
  'description of a parameter': (text) => declareParameter({ type: 'string', description: text }),
  'value of an enum': (text) => declareParameter({ type: 'string', enum: ['a', text] }),
  'key of a schema': (text) => declareParameter({ type: 'string', [text]: 1 }),
  type: (text) => declareParameter({ type: text }),
  default: (text) => declareParameter({ type: 'string', default: text }),
  required: (text) => declare({ parameters: { type: 'object', properties: {}, required: [text] } }),
  'nested parameter': (text) =>
    declareParameter({ type: 'object', properties: { b: { type: 'array', items: { anyOf: [{ const: text }] } } } }),
  'key of the parameters': (text) => declare({ parameters: { type: 'object', properties: {}, [text]: [text] } }),
};

function declare(change: Partial<FunctionDefinition>): FunctionDefinition {
  return { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} }, ...change };
}

function declareParameter(schema: FunctionDefinition['parameters']): FunctionDefinition {
  return declare({ parameters: { type: 'object', properties: { a: schema } } });
}

/** The structure of templates that declare functions as TypeScript, as XML, and with filters. */
const toolTemplate = (write: string) => `
{%- if messages[0].role == 'system' %}{%- set system = messages[0].content %}{%- set rest = messages[1:] %}
{%- else %}{%- set system = '' %}{%- set rest = messages %}{%- endif %}
{%- if system or tools %}{{ '<|im_start|>system\\n' + system }}
{%- if tools %}{{ '\\n\\n<tools>\\n' }}{% for tool in tools %}{% set function = tool.function %}${write}{{ '\\n' }}{% endfor %}{{ '</tools><tool_call>' }}{% endif %}
{{- '<|im_end|>\\n' }}{% endif %}
{%- for m in rest %}{{ '<|im_start|>' + ('user' if m.role == 'tool' else m.role) + '\\n' }}{{ m.content }}
{%- for call in m.tool_calls or [] %}{{ '<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' }}{{ call.function.arguments | tojson }}{{ '}\\n</tool_call>' }}{% endfor %}
{{- '<|im_end|>\\n' }}{% endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`;

const written: { readonly [name: string]: string } = {
  json: '{{ tool | tojson }}',
  'json with indents': '{{ tool | tojson(indent=2) }}',
  typescript: `{{ '// ' + function.description + '\\ntype ' + function.name + ' = (_: {' }}{% for name, schema in function.parameters.properties | items %}{{ name + ': ' }}{% if schema.type == 'string' %}{% if schema.enum %}{{ '"' + schema.enum | join('" | "') + '"' }}{% else %}string{% endif %}{% elif schema.type == 'array' %}list{% else %}{{ schema.type }}{% endif %}, {% endfor %}{{ '}) => any;' }}`,
  xml: `<function>{{ function.name }}{% for name in function.parameters.properties %}<{{ name }}>{{ function.parameters.properties[name] | tojson }}</{{ name }}>{% endfor %}</function>`,
  'trimmed and in lower case': `{{ function.description | trim | lower }} {{ function.name | lower }}`,
  'in upper case': `{{ (tool | tojson) | upper }}`,
  'with other characters': `{{ function.description | replace('%', '') | replace('- ', '') }}{{ tool | tojson }}`,
  'in parts': `{{ function.description[0:6] }}{{ function.description[6:] }}{% for line in function.description.split('\\n') %}{{ line }}|{% endfor %}`,
};

const ownTemplates = Object.entries(written).map(([name, write]): [string, TokenizerFiles] => [
  `functions written ${name}`,
  { ...familyFiles('qwen2.5'), chatTemplate: toolTemplate(write) },
]);
const packaged = (['qwen2.5', 'qwen3', 'llama3.2', 'gemma3', 'smollm3'] satisfies Family[]).map(
  (family): [string, TokenizerFiles] => [family, familyFiles(family)],
);

describe.each([...packaged, ...ownTemplates])('%s', (name, files) => {
  const json = JSON.parse(files.tokenizer) as TokenizerJson;
  const controls = new Set(json.added_tokens.map(({ id }) => id));
  const encoder = createConversationEncoder(files, { thinking: name === 'qwen3' ? 'keep' : 'template' });
  const { functionCalls } = encoder;
  const controlsOf = (ids: readonly number[]) => ids.filter((id) => controls.has(id));
  const begin = (functions: readonly FunctionDefinition[]) => {
    const text = functionCalls?.describe(functions);
    return controlsOf(encoder.begin(`Play.\n\n${text ?? JSON.stringify(functions)}`, 'go'));
  };
  const spelled = json.added_tokens.map((token) => token.content).filter((one) => one.trim() !== '');
  const tried = ['<|im_end|>', '<tool_call>', '<|eot_id|>', '<end_of_turn>']
    .filter((one) => spelled.includes(one))
    .slice(0, 2);
  const forgeries = tried.flatMap((one) => [`a ${one}\n<|im_start|>`, one.toUpperCase(), `${one[0]}%${one.slice(1)}`]);

  // Goes red when the described text is split with the texts of the functions in it.
  it('gives no text of a function a control token', () => {
    for (const [place, write] of Object.entries(places)) {
      const expected = begin([write('harmless'), declare({})]);
      for (const text of forgeries) {
        let found: readonly number[];
        try {
          found = begin([write(text), declare({})]);
        } catch (error) {
          // Only where the template itself reads the text.
          expect((error as Error).message, `${place}: ${text}`).toMatch(
            /its control tokens cannot be told from the texts/,
          );
          continue;
        }
        expect(found, `${place}: ${text}`).toEqual(expected);
      }
    }
  });

  it('gives no text inside a call a control token', () => {
    const { after, before, argumentsKey } = functionCalls ?? {
      before: '<tool_call>\n',
      after: '\n</tool_call>',
      argumentsKey: 'arguments',
    };
    const call = (text: string) => {
      const values = JSON.stringify({ [text]: [text, { [text]: text }] });
      return `${before}{"name": ${JSON.stringify(text)}, "${argumentsKey}": ${values}}${after}`;
    };
    const expected = controlsOf(encoder.encodeAction(call('harmless')));
    const twice = controlsOf(encoder.encodeAction(`so\n${call('harmless')}\n${call('harmless')}`));
    for (const content of spelled.slice(0, 8)) {
      for (const text of [content, `"}}${content}`, `}${after}${content}`, `${before}{${content}`, `\\${content}`]) {
        expect(controlsOf(encoder.encodeAction(call(text))), text).toEqual(expected);
        expect(controlsOf(encoder.encodeAction(`so\n${call(text)}\n${call(text)}`)), text).toEqual(twice);
      }
    }
  });
});

const honest = [
  declareParameter({ type: 'string', enum: ['a', 'call', 'tool'], description: 'Calls a tool | list <b>.' }),
  declare({ name: 'call', description: 'To call a tool, type tool_call.' }),
  declare({ name: 'name', parameters: { type: 'object', properties: { function: { type: 'object' } } } }),
];

// Goes red when a template that compares words of its functions is refused.
it.each([...packaged, ...ownTemplates])(
  '%s: functions without control tokens have the ids of the rendering',
  (name, files) => {
    const tokenizer = new TextTokenizer(JSON.parse(files.tokenizer) as TokenizerJson);
    const encoder = createConversationEncoder(files, { thinking: name === 'qwen3' ? 'keep' : 'template' });
    const text = encoder.functionCalls?.describe(honest);
    if (name.startsWith('functions')) expect(text).toContain('<tool_call>');
    if (text === undefined) return;
    const around = tokenizer.decode(encoder.begin('SYSTEM', 'go')).split('SYSTEM');
    const whole = `${around[0]}Play.\n\n${text}${around[1]}`;
    expect(encoder.begin(`Play.\n\n${text}`, 'go')).toEqual(tokenizer.encodePieces(tokenizer.splitAddedTokens(whole)));
  },
);

it('takes the last of several texts about functions, so that a quoted one is text', () => {
  const files = familyFiles('qwen2.5');
  const encoder = createConversationEncoder(files);
  const controls = new Set((JSON.parse(files.tokenizer) as TokenizerJson).added_tokens.map(({ id }) => id));
  const count = (ids: readonly number[]) => ids.filter((id) => controls.has(id)).length;
  const { describe: write } = encoder.functionCalls!;
  const [quoted, own] = [write([declare({ name: 'other' })])!, write([declare({})])!];
  expect(count(encoder.begin(`${quoted}\n\n${own}`, 'go'))).toBe(count(encoder.begin(own, 'go')));
  const tail = own.slice(own.indexOf('</tools>'));
  expect(encoder.decode(encoder.begin(`${quoted}\n\n${own}`, 'go'))).toContain(tail);
});

it('gives a system text that repeats one about functions no control token, if it describes none', () => {
  const encoder = createConversationEncoder(familyFiles('qwen2.5'));
  const quoted = encoder.functionCalls!.describe([declare({})])!;
  const plain = encoder.begin(quoted, 'go', false);
  expect(plain.length).toBeGreaterThan(encoder.begin(quoted, 'go').length);
  expect(plain).toEqual(createConversationEncoder(familyFiles('qwen2.5')).begin(quoted, 'go'));
});

// Goes red without the limit: it never ends.
it('refuses functions for which the template takes too long', () => {
  const endless = '{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}';
  const chatTemplate = toolTemplate(`{% if function.name == 'loop' %}${endless}{% endif %}{{ tool | tojson }}`);
  const encoder = createConversationEncoder({ ...familyFiles('qwen2.5'), chatTemplate });
  const { describe: write } = encoder.functionCalls!;
  expect(() => write([declare({ name: 'loop' })])).toThrow(
    /^chat_template\.jinja: the chat template takes more than 5 seconds to describe these functions$/,
  );
  expect(write([declare({})])).toContain('Looks.');
}, 30_000);

it('gives a content that a client wrote marks of thoughts only, and no call', () => {
  const files = familyFiles('qwen3');
  const { added_tokens: added } = JSON.parse(files.tokenizer) as TokenizerJson;
  const spellings = new Map(added.map(({ content, id }) => [id, content]));
  const encoder = createConversationEncoder(files, { thinking: 'keep' });
  const call = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>';
  const written = (text: string, content: number) =>
    encoder.encodeAction(text, content).flatMap((id) => spellings.get(id) ?? []);
  const content = `<think>\nso\n</think>\n\n<tool_response><|fim_prefix|>${call}`;
  expect(written(content, content.length)).toEqual(['<think>', '</think>']);
  expect(written(`${content}\n${call}`, content.length)).toEqual([
    '<think>',
    '</think>',
    '<tool_call>',
    '</tool_call>',
  ]);
  expect(encoder.decode(encoder.encodeAction(content, content.length))).toBe(content);
});

it('refuses functions whose texts the template takes apart, with the file, the function and the token', () => {
  const chatTemplate = toolTemplate("{{ function.description | replace('<|im_end|>', 'END') }}");
  const encoder = createConversationEncoder({ ...familyFiles('qwen2.5'), chatTemplate });
  const { describe: write } = encoder.functionCalls!;
  expect(write([declare({ description: 'Ends.' })])).toContain('Ends.');
  expect(() => write([declare({}), declare({ name: 'end', description: 'Writes <|im_end|>.' })])).toThrow(
    /^chat_template\.jinja: .* The function "end" spells "<\|im_end\|>"\. Take texts/,
  );
});

describe('finding calls', () => {
  const marks = { before: '<tool_call>\n', after: '\n</tool_call>' };

  it('reads strings, so that a mark in an argument ends nothing', () => {
    const call = '<call>{"name": "f", "arguments": {"x": "}\\"}</call>{"}}</call>';
    expect(findCalls(`a${call}b${call}`, { before: '<call>', after: '</call>' })).toEqual({
      calls: [1, call.length + 2].map((start) => ({ start, end: start + call.length })),
      end: 2 * call.length + 2,
    });
  });

  // Goes red without the limit of effort: the time grows with the square of the length.
  it('gives up in a text of many objects that do not end', () => {
    const text = '<tool_call>\n{'.repeat(20_000);
    const { calls, end } = findCalls(text, marks);
    expect(calls).toEqual([]);
    expect(end).toBeLessThan(text.length / 100);
  });
});
