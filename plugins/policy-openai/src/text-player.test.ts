import type { PlayerTurn } from '@agentgym/cli';
import { optionDefaults, testHost } from '@agentgym/cli/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { type Asked, type ChatServer, completion, type Reply, startChatServer } from './fixtures/chat-server.js';
import { options as declared, type Options } from './options.js';
import { create } from './text-player.js';

const servers: ChatServer[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) await server.close();
});

async function serve(answer: (asked: Asked, index: number) => Reply): Promise<ChatServer> {
  const server = await startChatServer(answer);
  servers.push(server);
  return server;
}

const turn = (changes: Partial<PlayerTurn> = {}): PlayerTurn => ({
  task: 'task',
  system: 'Guess my number.',
  observations: ['Between 1 and 9.', 'higher, 6 to 9'],
  texts: ['5'],
  random: testHost(7).random,
  admissible: () => Promise.resolve(undefined),
  ...changes,
});

const silent = new AbortController().signal;

const open = (address: string, changes: Partial<Options> = {}, temperature = 0) =>
  create({ ...optionDefaults(declared), model: 'tiny', retries: 0, ...changes }, testHost(), { address, temperature });

const chats = ({ asked }: ChatServer): readonly Asked[] =>
  asked.filter(({ path }) => path.includes('/chat/completions'));

describe('a text model behind an endpoint', () => {
  it('gets the whole conversation and says how its text ended', async () => {
    const server = await serve((_, index) =>
      completion(index === 0 ? '7' : 'I think that', index === 0 ? 'stop' : 'length'),
    );
    const player = open(server.url, { topP: 0.9, maxTokens: 12, extraBody: '{"reasoning_effort": "low"}' }, 0.5);
    expect(await player.act(turn(), silent)).toEqual({ text: '7', cut: false });
    expect(await player.act(turn({ system: '' }), silent)).toEqual({ text: 'I think that', cut: true });
    const [first, second] = chats(server);
    expect(first!.body).toEqual({
      model: 'tiny',
      messages: [
        { role: 'system', content: 'Guess my number.' },
        { role: 'user', content: 'Between 1 and 9.' },
        { role: 'assistant', content: '5' },
        { role: 'user', content: 'higher, 6 to 9' },
      ],
      temperature: 0.5,
      top_p: 0.9,
      max_tokens: 12,
      seed: second!.body['seed'],
      reasoning_effort: 'low',
    });
    expect(second!.body['messages']).toHaveLength(3);
    expect(player.usage?.()).toEqual({ requests: 2, promptTokens: 20, completionTokens: 4, unknown: 0 });
    expect(player.describe()).toEqual({
      server: server.url.slice(7),
      model: 'tiny',
      temperature: 0.5,
      topP: 0.9,
      maxTokens: 12,
    });
  });

  it('asks for the first model that the server lists, once', async () => {
    const server = await serve(({ path }) =>
      path === '/v1/models'
        ? { body: { object: 'list', data: [{ id: 'first' }, { id: 'second' }] } }
        : completion(null),
    );
    const player = open(server.url, { model: null });
    // Some models answer without a text: they only thought, or they refused.
    expect(await player.act(turn(), silent)).toEqual({ text: '', cut: false });
    await player.act(turn(), silent);
    expect(server.asked.map(({ path }) => path)).toEqual([
      '/v1/models',
      '/v1/chat/completions',
      '/v1/chat/completions',
    ]);
    expect(chats(server)[0]!.body['model']).toBe('first');
    expect(player.describe()).toMatchObject({ model: 'first' });
  });

  it('sends the key of the variable, or what the URL says, and shows neither', async () => {
    const server = await serve(() => completion('1'));
    vi.stubEnv('MY_KEY', 'sk-secret');
    const withKey = open(server.url, { keyVariable: 'MY_KEY' });
    await withKey.act(turn(), silent);
    const without = open(server.url, { keyVariable: 'NO_KEY' });
    await without.act(turn(), silent);
    const inUrl = open(`${server.url.replace('//', '//me:s%40cret@')}/?token=hidden`, { keyVariable: 'NO_KEY' });
    await inUrl.act(turn(), silent);
    const [first, second, third] = chats(server);
    expect(first!.headers.authorization).toBe('Bearer sk-secret');
    expect(second!.headers.authorization).toBeUndefined();
    expect(third!.headers.authorization).toBe(`Basic ${Buffer.from('me:s@cret').toString('base64')}`);
    expect(third!.path).toBe('/v1/chat/completions?token=hidden');
    await server.close();
    const failed = await Promise.resolve(inUrl.act(turn(), silent)).then(
      () => 'it answered',
      (error: Error) => error.message,
    );
    // Or the kept connection shows that it was closed.
    expect(failed).toMatch(/cannot be reached \(|the connection to .* broke/);
    const shown = JSON.stringify([withKey, without, inUrl].map((player) => [player.name, player.describe()])) + failed;
    expect(shown).not.toMatch(/secret|cret|hidden/);
  });

  it.each<[string, Reply]>([
    ['a rate limit', { status: 429, headers: { 'retry-after': '0.01' }, body: { error: { message: 'slow down' } } }],
    ['a rate limit without a time', { status: 429, body: { error: { message: 'slow down' } } }],
    ['a fault of the server', { status: 503, body: 'overloaded' }],
    ['half an answer', { ...completion('3'), cutAfter: 20 }],
    ['a slow answer', { ...completion('3'), milliseconds: 2_000 }],
  ])('repeats a request after %s', async (_, reply) => {
    const server = await serve((__, index) => (index === 0 ? reply : completion('4')));
    const player = open(server.url, { retries: 1, timeoutSeconds: 1 });
    expect(await player.act(turn(), silent)).toEqual({ text: '4', cut: false });
    expect(server.asked).toHaveLength(2);
    // The same draw: a request that is repeated is the same request.
    expect(server.asked[1]!.body).toEqual(server.asked[0]!.body);
  });

  it.each<[string, Reply, RegExp]>([
    [
      'a wrong key',
      { status: 401, body: { error: { message: 'bad key' } } },
      /answered 401: .*bad key.*OPENAI_API_KEY/,
    ],
    [
      'a model that is not there',
      { status: 404, body: { error: { message: 'no such model' } } },
      /no such model.*\/v1/,
    ],
    [
      'a parameter that it refuses',
      { status: 400, body: { error: { message: 'no seed here' } } },
      /400: .*no seed here/,
    ],
    ['a rate limit that stays', { status: 429, body: { error: { message: 'quota' } } }, /429: .*quota.*concurrency/],
    ['a page', { headers: { 'content-type': 'text/html' }, body: '<html></html>' }, /did not answer JSON/],
  ])('ends the command after %s', async (_, reply, message) => {
    const server = await serve(() => reply);
    const error = await Promise.resolve(open(server.url).act(turn(), silent)).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringMatching(message) as string });
  });

  it.each<[string, Reply, RegExp]>([
    ['a fault that stays', { status: 500, body: { error: { message: 'CUDA error' } } }, /500: .*CUDA error/],
    ['no answer in time', { ...completion('1'), milliseconds: 2_000 }, /did not answer in time/],
    ['an answer without a choice', { body: { choices: [], usage: null } }, /without a choice/],
  ])('fails one episode after %s', async (_, reply, message) => {
    const server = await serve(() => reply);
    const player = open(server.url, { timeoutSeconds: 0.3 });
    const error = await Promise.resolve(player.act(turn(), silent)).catch((caught: unknown) => caught as Error);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toHaveProperty('code', 'UNAVAILABLE');
    expect((error as Error).message).toMatch(message);
  });

  // The bodies are those of the servers' sources.
  it.each<[string, object]>([
    [
      'hosted models',
      {
        error: {
          message: "This model's maximum context length is 8192 tokens.",
          type: 'invalid_request_error',
          param: 'messages',
          code: 'context_length_exceeded',
        },
      },
    ],
    [
      'vLLM',
      {
        error: {
          message: "This model's maximum context length is 2048 tokens. However, your request has 2100 input tokens.",
          type: 'BadRequestError',
          param: 'input_tokens',
          code: 400,
        },
      },
    ],
    [
      'llama.cpp',
      {
        error: {
          code: 400,
          message: 'request (600 tokens) exceeds the available context size (512 tokens), try increasing it',
          type: 'exceed_context_size_error',
          n_prompt_tokens: 600,
          n_ctx: 512,
        },
      },
    ],
  ])('says that the context is full, as %s does', async (_, body) => {
    const server = await serve(() => ({ status: 400, body }));
    expect(await open(server.url).act(turn(), silent)).toEqual({ full: true });
  });

  it('learns the newer name of the cap from the error', async () => {
    const server = await serve(({ body }) =>
      'max_tokens' in body
        ? {
            status: 400,
            body: {
              error: {
                message: "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
                code: 'unsupported_parameter',
              },
            },
          }
        : completion('6'),
    );
    const player = open(server.url);
    await player.act(turn(), silent);
    await player.act(turn(), silent);
    expect(server.asked.map(({ body }) => 'max_tokens' in body)).toEqual([true, false, false]);
    expect(server.asked[2]!.body['max_completion_tokens']).toBe(64);
  });

  it('ends when a budget is spent', async () => {
    const server = await serve((_, index) =>
      completion('6', 'stop', index < 3 ? { prompt_tokens: 900_000, completion_tokens: 100_000 } : null),
    );
    const byCost = open(server.url, { inputPrice: 1, outputPrice: 10, maxCost: 3 });
    await byCost.act(turn(), silent);
    expect(byCost.usage?.()).toMatchObject({ cost: expect.closeTo(1.9, 9) as number });
    await byCost.act(turn(), silent);
    await expect(byCost.act(turn(), silent)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'the budget is spent: 3.8000 of maxCost 3',
    });
    const byTokens = open(server.url, { maxTotalTokens: 500 });
    await byTokens.act(turn(), silent);
    await expect(byTokens.act(turn(), silent)).rejects.toThrow('the budget is spent: 1000000 of maxTotalTokens 500');
    const untold = open(server.url, { maxTotalTokens: 5_000_000 });
    await untold.act(turn(), silent);
    await expect(untold.act(turn(), silent)).rejects.toThrow('does not report how many tokens');
  });

  it('is interrupted at once', async () => {
    const server = await serve(() => ({ ...completion('1'), milliseconds: 5_000 }));
    const abort = new AbortController();
    const start = performance.now();
    const acting = Promise.resolve(open(server.url, { retries: 5 }).act(turn(), abort.signal));
    setTimeout(() => abort.abort(new Error('enough')), 50);
    await expect(acting).rejects.toThrow();
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  it('refuses an address that is no URL', () => {
    expect(() => open('localhost:8000')).toThrow('the address is not a URL');
  });
});
