import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';

import type { FunctionCallSyntax } from '../../contracts/function-calls.js';
import type { GeneratedTokens, GenerateRequest } from '../../contracts/policy.js';
import { createRandom } from '../../random/create-random.js';
import { TabularEncoder } from '../../testing/tabular-encoder.js';
import { TabularPolicy } from '../../testing/tabular-policy.js';
import { PolicyEndpoint } from './policy-endpoint.js';
import { type PolicyServer, servePolicy } from './serve-policy.js';

const characters = Array.from({ length: 95 }, (_, index) => String.fromCodePoint(32 + index)).join('');
const syntax: FunctionCallSyntax = {
  before: '<call>',
  after: '</call>',
  argumentsKey: 'parameters',
  describe(functions) {
    if (functions.some(({ description }) => description === '<end>')) throw new Error('a function spells "<end>"');
    return `TOOLS ${functions.map(({ name, parameters }) => name + JSON.stringify(parameters)).join()}`;
  },
};

/** A model of characters that writes a given text. With a syntax, its template describes functions and has answers of tools. */
class Scripted extends TabularPolicy {
  prompts: string[] = [];
  readonly #text: string;

  constructor(text: string, ownSyntax: boolean) {
    const encoder = TabularEncoder.fromTexts('character', [`${characters}\n`]);
    if (ownSyntax) {
      const appendAnswer = (answer: string) => encoder.append(`ANSWER ${answer}`);
      Object.assign(encoder, { functionCalls: syntax, appendAnswer });
    }
    super({ encoder });
    this.#text = text;
  }

  override generate(requests: readonly GenerateRequest[]): Promise<GeneratedTokens[]> {
    const whole = [...this.encoder.encodeAction(this.#text), this.encoder.endIds[0]!];
    const start = this.encoder.append('').at(-1)!;
    const answers = requests.map(({ maxTokens, tokens }): GeneratedTokens => {
      const written = tokens.length - tokens.lastIndexOf(start) - 1;
      if (written === 0) this.prompts.push(tokens.map((id) => this.encoder.piece(id)).join(''));
      const next = whole.slice(written, written + maxTokens);
      return { tokens: next, logprobs: next.map(() => -1), ended: written + next.length === whole.length };
    });
    return Promise.resolve(answers);
  }
}

const servers: PolicyServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close(0);
});

async function serve(text: string, ownSyntax = true) {
  const model = new Scripted(text, ownSyntax);
  const limits = { maxActionTokens: 400, maxTokens: 4000 };
  const endpoint = new PolicyEndpoint({ model, name: 'caller', ...limits, random: createRandom(1) });
  const server = await servePolicy({ endpoint, host: '127.0.0.1', port: 0 });
  servers.push(server);
  return { model, client: new OpenAI({ baseURL: server.url, apiKey: 'none', maxRetries: 0 }) };
}

const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const tools: OpenAI.Chat.ChatCompletionTool[] = [{ type: 'function', function: { name: 'weather', parameters } }];
type Messages = OpenAI.Chat.ChatCompletionMessageParam[];
const messages: Messages = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Rome?' },
];
const written = 'I look.\n<call>{"name": "weather", "parameters": {"city": "Rome"}}</call>';
const expected = { type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } };
const ask = { model: 'caller', messages, tools };
const details = { return_token_ids: true };

describe('tools of a served policy', () => {
  it('reach the model as its template writes them, and its text becomes a call', async () => {
    const { client, model } = await serve(written);
    const { choices } = await client.chat.completions.create(ask);
    expect(choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: 'I look.', tool_calls: [expected] },
    });
    expect(model.prompts[0]).toBe(
      `<system>Be brief.\n\nTOOLS weather${JSON.stringify(parameters)}<observation>Rome?<action>`,
    );
    const without = await client.chat.completions.create({ ...ask, tool_choice: 'none' });
    expect(without.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: written } });
    expect(model.prompts[1]).toBe('<system>Be brief.<observation>Rome?<action>');
  });

  it('are described in the usual syntax if the template has none', async () => {
    const call = '<tool_call>\n{"name": "weather", "arguments": {"city": "Rome"}}\n</tool_call>';
    const { client, model } = await serve(call, false);
    const { choices } = await client.chat.completions.create({ ...ask, messages: messages.slice(1) });
    expect(choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: null, tool_calls: [expected] },
    });
    expect(model.prompts[0]).toMatch(/^<system>Functions:\n\{"type":"function".*A call:\n<tool_call>\n/s);
  });

  it('are called in a stream as in a whole answer', async () => {
    const { client } = await serve(written);
    const deltas: OpenAI.Chat.ChatCompletionChunk.Choice[] = [];
    const stream = client.chat.completions.stream(ask).on('chunk', ({ choices }) => deltas.push(...choices));
    const { choices } = await stream.finalChatCompletion();
    expect(choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: 'I look.', tool_calls: [expected] },
    });
    // Nothing of the call was shown as text, and its name comes before its arguments.
    expect(deltas.map(({ delta }) => delta.content ?? '').join('')).toBe('I look.');
    expect(deltas.flatMap(({ delta }) => delta.tool_calls ?? [])).toEqual([
      { index: 0, id: expect.stringMatching(/^call_\w+$/) as string, type: 'function', function: { name: 'weather', arguments: '' } }, // prettier-ignore
      { index: 0, function: { arguments: '{"city":"Rome"}' } },
    ]);
    const half = await serve('<call>{"name": ');
    const text = await half.client.chat.completions.stream(ask).finalChatCompletion();
    expect(text.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: '<call>{"name": ' } });
  });

  // Goes red when the ids of a call are forgotten, or when an answer is written as an observation.
  it('answer in a conversation that goes on with the ids of the call', async () => {
    const { client, model } = await serve(written);
    const first = (await client.chat.completions.create({ ...ask, ...details })) as Answer;
    const message = first.choices[0]!.message;
    const [call] = message.tool_calls!;
    const answer = { role: 'tool', tool_call_id: call!.id, content: 'sunny' } as const;
    const second = (await client.chat.completions.create({
      ...{ ...ask, ...details },
      messages: [...messages, message, answer],
    })) as Answer;
    expect(second.prompt_token_ids).toEqual([
      ...first.prompt_token_ids,
      ...first.choices[0]!.token_ids,
      ...model.encoder.append('ANSWER sunny'),
    ]);
    // Of another model, and with two calls at once: written as this model would, answers in the order of the calls.
    const [one, two] = ['Rome', 'Oslo'].map((city) => {
      return { id: city, type: 'function', function: { name: 'weather', arguments: `{"city":"${city}"}` } } as const;
    });
    const foreign: Messages = [
      ...messages,
      { role: 'assistant', tool_calls: [one!, two!] },
      { role: 'tool', tool_call_id: 'Oslo', content: 'snow' },
      { role: 'tool', tool_call_id: 'Rome', content: 'sun' },
    ];
    await client.chat.completions.create({ ...ask, messages: foreign });
    const wrote = ['Rome', 'Oslo'].map((city) => `<call>{"name": "weather", "parameters": {"city": "${city}"}}</call>`);
    expect(model.prompts.at(-1)).toContain(`<action>${wrote.join('\n')}<end><observation>ANSWER sun\nsnow<action>`);
  });

  it('are called one at a time if the request says so', async () => {
    const { client, model } = await serve(`${written}<call>{"name": "weather", "parameters": {}}</call>`);
    const both = await client.chat.completions.create(ask);
    expect(both.choices[0]!.message.tool_calls).toHaveLength(2);
    const one = await client.chat.completions.create({ ...ask, parallel_tool_calls: false });
    const message = one.choices[0]!.message;
    expect(message.tool_calls).toMatchObject([expected]);
    const answer = { role: 'tool', tool_call_id: message.tool_calls![0]!.id, content: 'sunny' } as const;
    await client.chat.completions.create({ ...ask, messages: [...messages, message, answer] });
    expect(model.prompts.at(-1)).toContain('"Rome"}}</call><end><observation>ANSWER sunny');
  });

  const call = (id: string, text = '{}') => ({ id, type: 'function', function: { name: 'weather', arguments: text } });
  it.each<[string, object, string]>([
    ['a forced call', { tool_choice: 'required' }, '"auto" and "none"'],
    ['a named function', { tool_choice: { type: 'function', function: { name: 'weather' } } }, '"auto" and "none"'],
    ['a choice without tools', { tools: [], tool_choice: 'auto' }, 'needs `tools`'],
    ['strict arguments', { tools: [{ type: 'function', function: { name: 'a', strict: true } }] }, '`strict`'],
    ['functions that the template cannot describe', { tools: [{ type: 'function', function: { name: 'a', description: '<end>' } }] }, 'a function spells "<end>"'], // prettier-ignore
    ['a tool that is no function', { tools: [{ type: 'web_search' }] }, '`tools.0.type`'],
    ['arguments that are no JSON', { messages: [...messages, { role: 'assistant', tool_calls: [call('1', '[')] }] }, '`messages.2.tool_calls.0.function.arguments`: the text is not a JSON object'], // prettier-ignore
    ['a call without an answer', { messages: [...messages, { role: 'assistant', tool_calls: [call('1')] }, { role: 'user', content: 'and?' }] }, 'no message answers the call `1`'], // prettier-ignore
    ['an answer to no call', { messages: [...messages, { role: 'assistant', tool_calls: [call('1')] }, { role: 'tool', tool_call_id: '1', content: '' }, { role: 'tool', tool_call_id: '2', content: '' }] }, 'answers no call'], // prettier-ignore
  ])('refuse %s', async (_, changes, words) => {
    const { client } = await serve(written);
    const error = await client.chat.completions
      .create({ ...ask, ...changes } as OpenAI.Chat.ChatCompletionCreateParamsNonStreaming)
      .then(String, (caught: Error) => caught);
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect((error as Error).message).toContain(words);
  });
});

type Answer = OpenAI.Chat.ChatCompletion & {
  readonly prompt_token_ids: number[];
  readonly choices: readonly { readonly token_ids: number[] }[];
};
