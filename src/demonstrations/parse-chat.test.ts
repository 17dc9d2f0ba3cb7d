import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../contracts/json.js';
import { parseConversations, parseMessages } from './parse-chat.js';

const user = { role: 'user', content: 'o' };
const action = { role: 'assistant', content: 'a' };
const chat = (...messages: object[]) => parseMessages({ messages } as unknown as JsonObject);
const row = (keys: object) => parseMessages({ messages: [user, action], ...keys });
const talk = (...conversations: object[]) => parseConversations({ conversations } as unknown as JsonObject);
const calls = (value: unknown) => [{ id: 'c', type: 'function', function: value }];

describe('a mark that an action is not to be learned', () => {
  // Mutation: read no mark but `weight`.
  it.each(['weight', 'loss', 'loss_mask', 'train', 'training', 'trainable'])('is obeyed: %s', (key) => {
    for (const no of [0, false]) {
      expect(chat(user, { ...action, [key]: no }, user, action)).toMatchObject({
        turns: [{ isContext: true }, { text: 'a' }],
      });
    }
    expect(chat(user, { ...action, [key]: key === 'loss' ? true : 1 })).toEqual({
      turns: [{ observation: 'o', text: 'a' }],
    });
  });

  it.each<[string, object, string]>([
    ['contradictory', { loss_mask: 0, trainable: true }, '"loss_mask" and "trainable" contradict each other'],
    ['half', { weight: 0.5 }, '"weight" is not true, false, 1 or 0'],
    ['a text', { train: 'no' }, '"train" is not true, false, 1 or 0'],
    ['of an unknown name', { mask: 0 }, 'the key "mask" is not known'],
  ])('is refused if it is %s', (_, mark, problem) => {
    expect(chat(user, { ...action, ...mark })).toContain(`message 2: ${problem}`);
  });

  it('is refused where it asks to learn what is no action, and on a whole line', () => {
    expect(chat({ ...user, train: true }, action)).toBe(
      'message 1: it is marked to be learned, but it is not an action',
    );
    expect(chat({ ...user, weight: 0 }, action)).toMatchObject({ turns: [{ text: 'a' }] });
    expect(row({ weight: 0 })).toBe('it is marked not to be learned: remove the line');
    expect(row({ weight: 1 })).toMatchObject({ turns: [{ text: 'a' }] });
  });

  it('is the absence of a mark only where another action has `loss: true`', () => {
    const human = { from: 'human', value: 'o' };
    const gpt = { from: 'gpt', value: 'a' };
    expect(talk(human, gpt, human, { ...gpt, loss: true })).toMatchObject({ turns: [{ isContext: true }, {}] });
    expect(talk({ ...human, loss: null }, { ...gpt, loss: null })).toEqual({
      turns: [{ observation: 'o', text: 'a' }],
    });
  });
});

describe('a message that calls a function', () => {
  it.each<[string, object]>([
    ['OpenAI', { role: 'assistant', content: '', tool_calls: calls({ name: 'guess', arguments: '{"number": 13}' }) }],
    [
      'OpenAI without content',
      { role: 'assistant', content: null, tool_calls: calls({ name: 'guess', arguments: '{"number": 13}' }) },
    ],
    ['TRL', { role: 'assistant', tool_calls: [{ name: 'guess', arguments: { number: 13, other: null } }] }],
    [
      'older OpenAI',
      { role: 'assistant', content: null, function_call: { name: 'guess', arguments: '{"number":13}' } },
    ],
    ['LLaMA-Factory', { from: 'function_call', value: '{"name": "guess", "arguments": {"number": 13}}' }],
  ])('keeps the call as %s writes it', (_, message) => {
    expect(chat(user, message, { role: 'tool', content: 'lower', tool_call_id: 'c' })).toEqual({
      turns: [{ observation: 'o', text: '', calls: [{ name: 'guess', arguments: { number: 13 } }] }],
      finalObservation: 'lower',
    });
  });

  it.each<[string, unknown, string]>([
    ['two calls of one id', [...calls({ name: 'a' }), ...calls({ name: 'b' })], 'two of its calls have one id'],
    ['no name', calls({ arguments: {} }), 'its call has no name of a function'],
    ['a name that is none', calls({ name: 7 }), 'its call has no name of a function'],
    ['broken arguments', calls({ name: 'a', arguments: '{"n": ' }), 'the arguments of its call of a are not an object'],
    ['a list of arguments', calls({ name: 'a', arguments: [1] }), 'the arguments of its call of a are not an object'],
    ['an unknown key', calls({ name: 'a', strict_mode: 2 }), 'the key "strict_mode" is not known'],
    ['a call that is none', ['a'], 'its call is not an object'],
    ['calls that are no list', 'a', '"tool_calls" is not a list'],
  ])('is refused with %s', (_, tool_calls, problem) => {
    expect(chat(user, { role: 'assistant', content: '', tool_calls })).toContain(`message 2: ${problem}`);
  });

  it('is refused from a user', () => {
    expect(chat({ ...user, tool_calls: calls({ name: 'a' }) }, action)).toBe(
      'message 1: it calls a function, but it is not an action',
    );
  });
});

describe('a key of a chat', () => {
  it.each(['reasoning_content', 'reasoning', 'thinking'])('is refused if it has thoughts: %s', (key) => {
    expect(chat(user, { ...action, [key]: 'halve it' })).toContain(`message 2: "${key}" is not learned`);
    expect(chat(user, { ...action, [key]: '' })).toMatchObject({ turns: [{ text: 'a' }] });
  });

  it('is accepted if it describes the line, and if it is empty', () => {
    const line = {
      ...{ id: 7, source: 'mine', prompt: 'o', metadata: { a: 1 }, score: 0.5, timestamp: '2026' },
      ...{ tools: [], images: [], chat_template_kwargs: {}, chosen: null, label: null },
    };
    expect(row(line)).toEqual({ turns: [{ observation: 'o', text: 'a' }] });
    const message = { ...action, name: 'bot', id: 'm', timestamp: 3, tool_calls: [], refusal: null, audio: null };
    expect(chat(user, message)).toEqual({ turns: [{ observation: 'o', text: 'a' }] });
  });

  // Mutation: take a key that is not known for one that describes the line.
  it.each<[string, unknown]>([
    ['tools', [{ type: 'function', function: { name: 'guess' } }]],
    ['images', ['a.png']],
    ['chosen', [action]],
    ['label', false],
    ['chat_template_kwargs', { enable_thinking: false }],
    ['learn', false],
    ['constructor', 1],
  ])('is refused if it may matter: %s', (key, value) => {
    expect(row({ [key]: value })).toContain(`the key "${key}" is not known`);
    expect(chat(user, { ...action, [key]: value })).toContain(`message 2: the key "${key}" is not known`);
  });

  it('is refused if it says a thing twice', () => {
    expect(chat(user, { ...action, value: 'b' })).toBe('message 2: it has both "content" and "value"');
    expect(chat({ ...user, from: 'human' }, action)).toBe('message 1: it has both "role" and "from"');
  });
});

describe('the system prompt', () => {
  it('is the first message or the key `system`, and no contradiction of both', () => {
    const system = { role: 'system', content: 'rules' };
    expect(chat(system, user, action)).toMatchObject({ system: 'rules' });
    expect(chat({ ...system, role: 'developer' }, user, action)).toMatchObject({ system: 'rules' });
    expect(row({ system: 'rules' })).toMatchObject({ system: 'rules' });
    expect(row({ messages: [system, user, action], system: 'rules' })).toMatchObject({ system: 'rules' });
    expect(row({ messages: [system, user, action], system: 'others' })).toBe(
      '"system" and the system message contradict each other',
    );
  });
});

describe('the content of a message', () => {
  it('is a text, or parts that are texts', () => {
    const parts = (...content: object[]) => chat({ role: 'user', content }, action);
    expect(parts({ type: 'text', text: 'o' }, { type: 'text', text: 'p' })).toMatchObject({
      turns: [{ observation: 'op' }],
    });
    expect(parts({ type: 'image_url', image_url: {} })).toBe(
      'message 1: "content" has a part of the type "image_url": only text is read',
    );
    expect(chat({ role: 'user', content: null }, action)).toBe('message 1: "content" is not a string');
  });

  it('may stand in any of the layouts', () => {
    const minimind = { conversations: [user, { ...action, content: 'b' }] } as unknown as JsonObject;
    expect(parseConversations(minimind)).toEqual({ turns: [{ observation: 'o', text: 'b' }] });
  });
});
