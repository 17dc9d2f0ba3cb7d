import { expect, it } from 'vitest';

import { readChatRequest } from './read-request.js';

const said = (body: unknown) => {
  try {
    readChatRequest(body);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};
const ask = { role: 'user', content: 'hi' };

// Goes red when a client reads the words of the schema library.
it.each([
  [3, 'the body: it is 3, not an object'],
  [{}, '`messages`: it is missing'],
  [{ messages: 3 }, '`messages`: it is 3, not a list'],
  [{ messages: [] }, '`messages`: it is empty'],
  [{ messages: [{ role: 'user' }] }, '`messages.0.content`: it is missing'],
  [{ messages: [{ role: 'user', content: 3 }] }, '`messages.0.content`: it is 3, not a text or a list'],
  [
    { messages: [{ role: 'user', content: [{ type: 'image_url' }] }] },
    '`messages.0.content.0.type`: it is "image_url", not "text"',
  ],
  [
    { messages: [{ role: 'x', content: '' }] },
    '`messages.0.role`: it is "x", not "system" or "developer" or "user" or "tool" or "assistant"',
  ],
  [{ messages: [ask], temperature: 'a' }, '`temperature`: it is "a", not a number'],
  [{ messages: [ask], temperature: -1 }, '`temperature`: it is -1, not at least 0'],
  [{ messages: [ask], top_p: 2 }, '`top_p`: it is 2, not at most 1'],
  [{ messages: [ask], max_tokens: 1.5 }, '`max_tokens`: it is 1.5, not a whole number'],
  [{ messages: [ask], stream: 'yes' }, '`stream`: it is "yes", not true or false'],
  [{ messages: [ask], stop: [1] }, '`stop.0`: it is 1, not a text'],
  [{ messages: [ask], tools: {} }, '`tools`: it is an object, not a list'],
])('says what is wrong with %j', (body, message) => {
  expect(said(body)).toBe(message);
});
