import { describe, expect, it } from 'vitest';

import { readChatRequest, readCompletionRequest } from './read-request.js';

const messages = [{ role: 'user', content: 'go' }];

describe('requests', () => {
  it('have the defaults of the protocol, and texts in parts are one text', () => {
    const parts = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ];
    expect(
      readChatRequest({
        messages: [{ role: 'user', content: parts }],
        stop: 'x',
        user: 'me',
        presence_penalty: 0,
        tools: [],
      }).request,
    ).toMatchObject({
      messages: [{ role: 'user', content: 'ab' }],
      temperature: 1,
      top_p: 1,
      n: 1,
      stop: ['x'],
      stream: false,
      logprobs: false,
    });
    const { request } = readCompletionRequest({ prompt: [1, 2], logprobs: 0, response_format: { type: 'text' } });
    expect(request).toMatchObject({ prompt: [[1, 2]], logprobs: 0 });
  });

  it.each<[unknown, string]>([
    [{}, '`messages`'],
    ['text', 'the body'],
    [{ messages: [] }, '`messages`'],
    [{ messages: [{ role: 'robot', content: '' }] }, '`messages.0.role`'],
    [
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: '' } }] }] },
      '`messages.0.content.0.type`: it is "image_url", not "text"',
    ],
    [{ messages, temperature: -1 }, '`temperature`'],
    [{ messages, top_p: 0 }, '`top_p`'],
    [{ messages, n: 129 }, '`n`'],
    [{ messages, max_tokens: 1.5 }, '`max_tokens`'],
    [{ messages, logit_bias: { 5: 1 } }, 'does not support `logit_bias`'],
    [{ messages, tools: [{ type: 'function' }] }, '`tools.0.function`'],
    [{ messages, frequency_penalty: 0.5 }, 'does not support `frequency_penalty`'],
    [{ messages, response_format: { type: 'json_object' } }, 'does not support `response_format`'],
    [{ messages, temperature: 1e-40 }, '`temperature`: it must be 0, or at least 0.000001'],
    [{ messages, temperature: 1e-300 }, '`temperature`'],
    [{ messages, seed: 1e300 }, '`seed`'],
    [{ messages, seed: 1.5 }, '`seed`'],
    [{ messages, top_k: 0.5 }, '`top_k`'],
    [{ messages, stop: Array.from({ length: 65 }, () => 'x') }, '`stop`: it has more than 64 texts'],
    [{ messages, stop: ['x'.repeat(1025)] }, '`stop`: a text has more than 1024 characters'],
    [{ messages, stop: [1] }, '`stop.0`: it is 1, not a text'],
    [{ messages, an_invented_member: 0 }, 'does not support `an_invented_member`'],
    [{ messages, __proto__x: 0, chat_template: '{{ 1 }}' }, 'does not support'],
    [{ messages, stream_options: { continuous_usage_stats: true } }, '`stream_options.continuous_usage_stats`'],
    [{ messages: [{ role: 'user', content: 'go', images: ['x'] }] }, 'does not support `messages.0.images`'],
    [{ messages: [{ role: 'assistant', content: 'go', reasoning_content: 'x' }] }, '`messages.0.reasoning_content`'],
    [{ messages, tools: [{ type: 'function', function: { name: 'a', returns: {} } }] }, '`tools.0.function.returns`'],
  ])('%j is refused', (body, words) => {
    expect(() => readChatRequest(body)).toThrow(words);
  });

  it.each<[unknown, string]>([
    [{ prompt: ['a', 1] }, '`prompt`: it must be a text'],
    [{ prompt: [['a']] }, '`prompt`: it must be a text'],
    [{ prompt: { a: 1 } }, '`prompt`: it must be a text'],
    [{ prompt: Array.from({ length: 129 }, () => 'a') }, 'more than 128 prompts'],
    [{ prompt: ['a', 'b'], n: 65 }, '2 prompts with `n`: 65'],
    [{ prompt: 'a', stop_token_ids: Array.from({ length: 257 }, () => 1) }, 'more than 256 ids'],
    [{ prompt: 'a', tools: [{}] }, 'does not support `tools`'],
  ])('%j is no completion', (body, words) => {
    expect(() => readCompletionRequest(body)).toThrow(words);
  });

  // Goes red if every issue of a body is collected.
  it('are refused at the first mistake, however many there are', () => {
    const many = Array.from({ length: 500_000 }, () => 0);
    expect(() => readChatRequest({ messages: many })).toThrow('`messages.0`');
  });

  it('name what they ignore, and take what has its neutral value', () => {
    const neutral = {
      ...{ min_p: 0, repetition_penalty: 1, logit_bias: {}, best_of: 1, ignore_eos: false, stop_token_ids: [] },
      ...{ response_format: { type: 'text' }, modalities: ['text'], an_invented_member: null, tools: null },
      ...{ store: null, add_generation_prompt: true, chat_template_kwargs: {}, seed: -1, temperature: 1e-6 },
    };
    expect(readChatRequest({ messages, ...neutral }).ignored).toEqual([]);
    const official = { user: 'me', metadata: { a: 'b' }, store: false, service_tier: 'auto' };
    const named = [{ role: 'user', content: 'go', name: 'Ann' }];
    expect(readChatRequest({ messages: named, ...official }).ignored).toEqual([...Object.keys(official), 'name']);
  });

  it('take calls without arguments, and keep numbers as they were written', () => {
    const called = (text: string) => {
      const tool_calls = [{ id: '1', function: { name: 'f', arguments: text } }];
      const { request } = readChatRequest({ messages: [...messages, { role: 'assistant', tool_calls }] });
      return request.messages[1];
    };
    expect(called('')).toMatchObject({ tool_calls: [{ function: { arguments: { values: {}, json: '{}' } } }] });
    expect(called('{"a": 1.0}')).toMatchObject({ tool_calls: [{ function: { arguments: { json: '{"a":1.0}' } } }] });
    expect(() => called(`{"a":${'['.repeat(200)}${']'.repeat(200)}}`)).toThrow('not a JSON object');
  });
});
