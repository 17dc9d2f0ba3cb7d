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
      }),
    ).toMatchObject({
      messages: [{ role: 'user', content: 'ab' }],
      temperature: 1,
      top_p: 1,
      n: 1,
      stop: ['x'],
      stream: false,
      logprobs: false,
    });
    expect(readCompletionRequest({ prompt: [1, 2], logprobs: 0, response_format: { type: 'text' } })).toMatchObject({
      prompt: [1, 2],
      logprobs: 0,
    });
  });

  it.each<[unknown, string]>([
    [{}, '`messages`'],
    ['text', 'the body'],
    [{ messages: [] }, '`messages`'],
    [{ messages: [{ role: 'robot', content: '' }] }, '`messages.0.role`'],
    [
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: '' } }] }] },
      '`messages.0.content`',
    ],
    [{ messages, temperature: -1 }, '`temperature`'],
    [{ messages, top_p: 0 }, '`top_p`'],
    [{ messages, n: 129 }, '`n`'],
    [{ messages, max_tokens: 1.5 }, '`max_tokens`'],
    [{ messages, logit_bias: { 5: 1 } }, 'does not support `logit_bias`'],
    [{ messages, tools: [{ type: 'function' }] }, '`tools.0.function`'],
    [{ messages, frequency_penalty: 0.5 }, 'does not support `frequency_penalty`'],
    [{ messages, response_format: { type: 'json_object' } }, 'does not support `response_format`'],
  ])('%j is refused', (body, words) => {
    expect(() => readChatRequest(body)).toThrow(words);
  });
});
