// Servers that answer what no server should: every fault is the server's, is repeated, and ends one episode or the run in
// words that name the member.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { optionDefaults, testHost } from '@agentgym/cli/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { type ChatServer, completion, type Reply, startChatServer } from './fixtures/chat-server.js';
import { options, type Options } from './options.js';
import { samplerOptions } from './sampler-options.js';
import { create } from './text-player.js';
import { create as createSampler } from './token-sampler.js';

const servers: ChatServer[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) await server.close();
});

async function serve(...replies: [Reply, ...Reply[]]): Promise<ChatServer> {
  const server = await startChatServer((_, index) => replies[Math.min(index, replies.length - 1)]!);
  servers.push(server);
  return server;
}

type Failed = Error & { readonly code?: string };

async function act(server: ChatServer, changes: Partial<Options> = {}) {
  const host = testHost();
  const own = { ...optionDefaults(options), model: 'tiny', retries: 1, timeoutSeconds: 5, ...changes };
  const player = create(own, host, { address: server.url, temperature: 0 });
  const turn = { task: 't', system: '', observations: ['?'], texts: [], random: testHost(7).random };
  const work = player.act({ ...turn, admissible: () => Promise.resolve(undefined) }, new AbortController().signal);
  const answer = await Promise.resolve(work).catch((error: unknown) => error as Failed);
  return { answer, player, messages: host.messages };
}

const chat = (choice: object, more: object = {}): Reply => ({
  body: { choices: [{ message: { role: 'assistant', content: '7' }, finish_reason: 'stop', ...choice }], ...more },
});

describe('a fault inside an answer of status 200', () => {
  it.each<[string, Reply, RegExp]>([
    [
      'an error of a choice',
      chat({ finish_reason: 'error', error: { code: 502, message: 'upstream failed' } }),
      /it failed: upstream failed$/,
    ],
    ['an end by an error', chat({ finish_reason: 'error', message: { content: '' } }), /answered that it failed$/],
    [
      'an error instead of choices',
      { body: { error: { code: 429, message: 'rate limit' } } },
      /it failed: rate limit$/,
    ],
    ['an error that is a text', { body: { error: 'no GPU left' } }, /it failed: no GPU left$/],
    ['an error beside choices', chat({}, { error: { message: 'partial' } }), /it failed: partial$/],
    ['no message', chat({ message: undefined }), /with choices\[0\]\.message: missing$/],
    ['null for the message', chat({ message: null }), /with choices\[0\]\.message: null, not an object$/],
    ['null for the choices', { body: { choices: null } }, /with choices: null, not a list$/],
    ['an object for the choices', { body: { choices: { 0: {} } } }, /with choices: an object, not a list$/],
    ['null for a choice', { body: { choices: [null] } }, /with choices\[0\]: null, not an object$/],
    ['no choice', { body: { choices: [] } }, /answered without a choice$/],
    ['a number for the text', chat({ message: { content: 5 } }), /choices\[0\]\.message\.content: 5, not a text$/],
    ['an object for the text', chat({ message: { content: { toString: 1 } } }), /content: an object, not a text$/],
    ['a part without a type', chat({ message: { content: [{}] } }), /content\[0\]\.type: missing$/],
    ['a part without a text', chat({ message: { content: [{ type: 'text' }] } }), /content\[0\]\.text: missing$/],
    ['null', { body: 'null' }, /with null, not an object$/],
    ['a list', { body: [] }, /with a list, not an object$/],
    ['a number', { body: 5 }, /with 5, not an object$/],
    ['nothing', { body: '' }, /with no JSON, but an empty body$/],
    ['a page that says that it is JSON', { body: '<html>\u001b[31m' }, /with no JSON: <html> \[31m$/],
    [
      'a usage below 0',
      chat({}, { usage: { prompt_tokens: -1e308, completion_tokens: 1 } }),
      /usage\.prompt_tokens: -1e\+308, not/,
    ],
    ['a usage that is a text', chat({}, { usage: 'x' }), /with usage: "x", not an object$/],
    ['JSON that is too deep', { body: `{"x":${'['.repeat(1e5)}${']'.repeat(1e5)}}` }, /sent JSON that is too deep$/],
  ])(
    'is repeated, and fails the episode: %s',
    async (_, reply, words) => {
      const lasting = await serve({ ...reply, headers: { 'retry-after': '0' } });
      const { answer } = await act(lasting);
      expect(answer).toMatchObject({ message: expect.stringMatching(words) as string });
      expect(answer).not.toHaveProperty('code', 'UNAVAILABLE');
      expect(lasting.asked).toHaveLength(2);
      const passing = await act(await serve(reply, completion('4')));
      expect(passing.answer).toEqual({ text: '4', cut: false });
    },
    20_000,
  );

  it('is no fault where a text comes in parts, or no text at all', async () => {
    const parts = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
      { type: 'text', text: '2' },
      { type: 'text', text: '0' },
    ];
    for (const [content, text] of [
      [parts, '20'],
      [null, ''],
      [undefined, ''],
      [[], ''],
    ]) {
      const { answer, player } = await act(
        await serve(chat({ message: { content } }, { usage: { prompt_tokens: null } })),
      );
      expect(answer).toEqual({ text, cut: false });
      expect(player.usage?.()).toMatchObject({ unknown: 1 });
    }
  });
});

describe('other hostile answers', () => {
  it('of more bytes than an answer may have fail the episode, and are not repeated', async () => {
    const server = await serve(completion('5'.repeat(5e6)));
    const { answer } = await act(server);
    expect(answer).toMatchObject({ message: expect.stringContaining('answered with more than 4 MiB') as string });
    expect(server.asked).toHaveLength(1);
  });

  it('that repeat the key show it nowhere', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'sk-SECRET-abcdefgh12345678');
    for (const status of [200, 400, 401, 403, 429, 500]) {
      const words = 'Incorrect API key provided: Bearer sk-SECRET-abcdefgh12345678';
      const { answer } = await act(
        await serve({ status, headers: { 'retry-after': '0' }, body: { error: { message: words } } }),
      );
      expect((answer as Failed).message).toContain('key provided: Bearer ***');
      expect(JSON.stringify([answer, (answer as Failed).message, (answer as Failed).stack])).not.toContain('SECRET');
    }
  });

  it('that send the conversation to another server are refused', async () => {
    const other = await serve(completion('1'));
    const server = await serve({ status: 307, headers: { location: other.url.replace('127.0.0.1', 'localhost') } });
    const { answer } = await act(server);
    expect(answer).toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('sent the request elsewhere (307)') as string,
    });
    expect(other.asked).toEqual([]);
  });

  it.each<[string, unknown, RegExp]>([
    ['a detail', { detail: 'Not authorized for that model' }, /422: Not authorized for that model$/],
    [
      'a list of details',
      { detail: [{ loc: ['body', 'seed'], msg: 'Extra inputs are not permitted' }] },
      /422: body\.seed: Extra inputs are not permitted\. The option seed=none sends no seed$/,
    ],
    ['a message', { message: 'quota', object: 'error' }, /422: quota$/],
    ['a text', { error: 'plain' }, /422: plain$/],
    ['an error in an error', { error: { error: { message: 'inner' } } }, /422: inner$/],
    ['something else', { code: 7 }, /422: \{"code":7\}$/],
    ['words that are no JSON', 'just words', /422: just words$/],
    ['a list', [{ error: { message: 'listed' } }], /422: listed$/],
  ])('refuse with %s, which is shown', async (_, body, words) => {
    const { answer } = await act(await serve({ status: 422, body }));
    expect(answer).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringMatching(words) as string });
  });

  it('that ask to wait for a day are told to the user, who may interrupt', async () => {
    const host = testHost();
    const server = await serve({ status: 429, headers: { 'retry-after': '86400' } });
    const own = { ...optionDefaults(options), model: 'tiny', retries: 1 };
    const player = create(own, host, { address: server.url, temperature: 0 });
    const abort = new AbortController();
    const turn = { task: 't', system: '', observations: ['?'], texts: [], random: testHost(7).random };
    const work = Promise.resolve(player.act({ ...turn, admissible: () => Promise.resolve(undefined) }, abort.signal));
    const failed = work.catch((error: unknown) => error);
    await vi.waitFor(() => expect(host.messages.join()).toContain('asks to wait 60 s or longer'), 5000);
    abort.abort(new Error('enough'));
    await expect(failed).resolves.toBeInstanceOf(Error);
    expect(server.asked).toHaveLength(1);
  });

  it('have no seed in their requests if the option says so', async () => {
    const server = await serve(completion('1'));
    await act(server, { seed: 'none' });
    expect(server.asked[0]!.body).not.toHaveProperty('seed');
  });

  it('are not asked with a key that no header can have', () => {
    vi.stubEnv('OPENAI_API_KEY', 'sk-SECRET\nline');
    const open = () =>
      create({ ...optionDefaults(options) }, testHost(), { address: 'http://here/v1', temperature: 0 });
    expect(open).toThrow('OPENAI_API_KEY has blanks or characters that a key cannot have');
  });

  it('that drip are late as a whole', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      setInterval(() => response.write(' '), 50).unref();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const drip = { url: `http://127.0.0.1:${port}/v1`, asked: [], close: () => Promise.resolve() };
    const { answer } = await act(drip, { retries: 0, timeoutSeconds: 0.5 });
    server.closeAllConnections();
    server.close();
    expect(answer).toMatchObject({ message: expect.stringContaining('did not answer in time') as string });
  });
});

describe('a sampler that lies', () => {
  const good = {
    token_ids: [12, 9],
    prompt_token_ids: [5, 6],
    finish_reason: 'stop',
    logprobs: { token_logprobs: [-0.5, -1] },
  };

  it.each<[string, object, RegExp]>([
    ['a text for an id', { token_ids: ['12', 9] }, /token_ids\[0\]: "12", not a number/],
    ['an id below 0', { token_ids: [-1, 9] }, /token_ids\[0\]: -1, not a number from 0/],
    ['half an id', { token_ids: [1.5, 9] }, /token_ids\[0\]: 1\.5, not a whole number/],
    ['an object for ids', { token_ids: { 0: 12 } }, /token_ids: an object, not a list/],
    ['an id of the prompt that is none', { prompt_token_ids: [5, 1e308] }, /prompt_token_ids\[1\]: 1e\+308, not/],
    [
      'a log probability above 0',
      { logprobs: { token_logprobs: [0.7, -1] } },
      /token_logprobs\[0\]: 0\.7, not a number from -10000 to/,
    ],
    [
      'a log probability that no token has',
      { logprobs: { token_logprobs: [-1e308, -1] } },
      /token_logprobs\[0\]: -1e\+308, not/,
    ],
    [
      'a text for a log probability',
      { logprobs: { token_logprobs: ['NaN', -1] } },
      /token_logprobs\[0\]: "NaN", not a number/,
    ],
    ['a list for the log probabilities', { logprobs: [-1, -1] }, /logprobs: a list, not an object/],
    [
      'a fault',
      { finish_reason: 'error', error: { message: 'CUDA error' } },
      /cannot sample: it answered that it failed: CUDA error/,
    ],
    ['an object for the end', { finish_reason: { a: 1 } }, /`finish_reason`: \{"a":1\}/],
  ])('ends the run, and tells the member: %s', async (_, changes, words) => {
    const folder = mkdtempSync(join(tmpdir(), 'hostile-sampler-'));
    for (const name of ['adapter_config.json', 'adapter_model.safetensors']) writeFileSync(join(folder, name), '{}');
    const server = await startChatServer(({ body, path }) =>
      path.endsWith('completions')
        ? { body: { model: body['model'], choices: [{ ...good, ...changes }] } }
        : { body: 'Success' },
    );
    servers.push(server);
    const own = { ...optionDefaults(samplerOptions), retries: 0 };
    const sampling = { temperature: 1, topP: 1, topK: 0 };
    const sampler = createSampler(own, testHost(), { address: server.url, sampling });
    const silent = new AbortController().signal;
    await sampler.publish({ folder, base: { name: 'base' } }, silent);
    const request = {
      tokens: [5, 6],
      sequence: 'one',
      endIds: [9],
      maxTokens: 4,
      draws: Float64Array.of(0.5, 0.5, 0.5, 0.5),
    };
    const failed = await sampler.generate([request], sampling, silent).catch((error: unknown) => error);
    rmSync(folder, { recursive: true });
    expect(failed).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringMatching(words) as string });
  });
});
