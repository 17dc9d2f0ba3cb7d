import { readdirSync } from 'node:fs';

import type { PlayerTurn } from '@agentgym/cli';
import { optionDefaults, testHost } from '@agentgym/cli/testing';
import { afterEach, describe, expect, it } from 'vitest';

import { type ChatServer, type Reply, startChatServer } from './fixtures/chat-server.js';
import { recording } from './fixtures/recording.js';
import { options } from './options.js';
import { create } from './text-player.js';

const servers: ChatServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const turn: PlayerTurn = {
  task: 'task',
  system: 'Guess my number.',
  observations: ['Between 17 and 37.'],
  texts: [],
  random: testHost(7).random,
  admissible: () => Promise.resolve(undefined),
};

async function play(reply: Reply, models?: Reply) {
  const server = await startChatServer(({ path }) => (path === '/v1/models' && models ? models : reply));
  servers.push(server);
  const model = models ? null : 'tiny';
  const context = { address: server.url, temperature: 0 };
  const player = create({ ...optionDefaults(options), model, retries: 0 }, testHost(), context);
  const answer = await Promise.resolve(player.act(turn, new AbortController().signal)).catch(
    (error: unknown) => error as Error,
  );
  return { answer, player };
}

/** The text, whether it was cut, and the tokens of the prompt and of the answer. */
const texts: Record<string, [text: string, cut: boolean, prompt: number, written: number]> = {
  'vllm/chat': ['26', false, 16, 3],
  'vllm/chat-thought': ['', true, 42, 12],
  'vllm/chat-tool-call': ['', false, 180, 21],
  'llama-server/chat': ['8', false, 14, 2],
  'llama-server/chat-cut': ['8', true, 14, 1],
  'llama-server/chat-thought': ['', true, 42, 12],
};

/** The word is what the error means: for the command, or for one episode. */
const errors: Record<string, [meaning: 'command' | 'episode', words: RegExp]> = {
  'vllm/cap-above-context': ['command', /answered 400: max_tokens=64 cannot be greater than max_model_len=32/],
  'vllm/wrong-key': ['command', /answered 401: Unauthorized\. The key is read from OPENAI_API_KEY/],
  'vllm/unknown-model': ['command', /answered 404: The model `gpt-4` does not exist.*the option model/],
  'vllm/unknown-path': ['command', /answered 404: .*Check the address, which usually ends in \/v1/],
  'vllm/dead-engine': ['episode', /answered 500: The server had an error/],
  'llama-server/wrong-key': ['command', /answered 401: Invalid API Key\. The key is read from OPENAI_API_KEY/],
  'llama-server/loading': ['command', /answered 503: Loading model\. Start again when it has loaded\./],
  'llama-server/unknown-path': ['command', /answered 404: File Not Found.*usually ends in \/v1/],
};

const full = ['vllm/context-full', 'vllm/context-full-by-characters', 'llama-server/context-full'];
const lists = { 'vllm/models': 'Qwen/Qwen2.5-0.5B-Instruct', 'llama-server/models': 'player.gguf' };

describe('recorded answers', () => {
  it.each(Object.entries(texts))('%s is a text', async (name, [text, cut, promptTokens, completionTokens]) => {
    const { answer, player } = await play(recording(name));
    expect(answer).toEqual({ text, cut });
    expect(player.usage?.()).toEqual({ requests: 1, promptTokens, completionTokens, unknown: 0 });
  });

  it.each(full)('%s fills the context', async (name) => {
    expect((await play(recording(name))).answer).toEqual({ full: true });
  });

  it.each(Object.entries(errors))('%s is an error', async (name, [meaning, words]) => {
    const { answer } = await play(recording(name));
    expect(answer).toBeInstanceOf(Error);
    expect((answer as Error).message).toMatch(words);
    expect((answer as { code?: string }).code).toBe(meaning === 'command' ? 'UNAVAILABLE' : undefined);
  });

  it.each(Object.entries(lists))('%s names the model', async (name, model) => {
    const { player } = await play(recording(name.replace('models', 'chat')), recording(name));
    expect(player.describe()).toMatchObject({ model });
  });

  it('are all read by a test', () => {
    const folder = new URL('fixtures/recordings/', import.meta.url);
    const files = ['vllm', 'llama-server'].flatMap((server) =>
      readdirSync(new URL(server, folder)).map((file) => `${server}/${file.replace('.json', '')}`),
    );
    const tested = [texts, errors, lists].flatMap((table) => Object.keys(table)).concat(full);
    expect(files.toSorted()).toEqual(tested.toSorted());
  });
});
